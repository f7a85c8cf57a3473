#pragma once
/* Texture objects, destroyed with their last user together with what they show. */
#include <functional>

#include "harness/device.h"

using Texture = std::shared_ptr<cudaTextureObject_t>;

inline Texture texture_object(const cudaResourceDesc &resource, std::function<void()> free_memory)
{
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModePoint;
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t object;
    CUDA(cudaCreateTextureObject(&object, &resource, &description, nullptr));
    return Texture(new cudaTextureObject_t(object), [free_memory](cudaTextureObject_t *old) {
        cudaDestroyTextureObject(*old);
        free_memory();
        delete old;
    });
}

/* Words in a row: linear memory, for tex1Dfetch. */
inline Texture texture_of_words(const Array<unsigned> &words)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = words.at();
    resource.res.linear.desc = cudaCreateChannelDesc<unsigned>();
    resource.res.linear.sizeInBytes = words.size() * sizeof(unsigned);
    return texture_object(resource, [words] {}); /* holds them */
}

/* Rows of w floats: an array, which the driver lays out for two dimensions, for tex2D. */
inline Texture texture_of_rows(const std::vector<float> &x, size_t w, size_t h)
{
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocArray(&array, &format, w, h));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, x.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return texture_object(resource, [array] { cudaFreeArray(array); });
}
