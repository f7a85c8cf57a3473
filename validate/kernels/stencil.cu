/* The five-point stencil, from global memory and through a texture. W is a constant, as in the trace: a template of it. */
#include "harness/case.h"
#include "harness/device.h"
#include "harness/texture.h"

static const float C = 0.5f, D = 0.125f;

template <int W> static __global__ void stencil(const float *in, float *out, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int left = max(x - 1, 0), right = min(x + 1, W - 1), up = max(y - 1, 0), down = min(y + 1, h - 1);
    const float sum = in[y * W + left] + in[y * W + right] + in[up * W + x] + in[down * W + x];
    out[y * W + x] = 0.5f * in[y * W + x] + 0.125f * sum;
}

template <int W> static __global__ void stencil_texture(cudaTextureObject_t t, float *out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float sum = tex2D<float>(t, x - 1, y) + tex2D<float>(t, x + 1, y) + tex2D<float>(t, x, y - 1) + tex2D<float>(t, x, y + 1);
    out[y * W + x] = 0.5f * tex2D<float>(t, x, y) + 0.125f * sum;
}

static float wanted(const std::vector<float> &in, size_t w, size_t h, size_t i)
{
    const size_t x = i % w, y = i / w, left = x ? x - 1 : 0, right = std::min(x + 1, w - 1), up = y ? y - 1 : 0, down = std::min(y + 1, h - 1);
    return C * in[i] + D * (in[y * w + left] + in[y * w + right] + in[up * w + x] + in[down * w + x]);
}

static Run make(const Params &p)
{
    const size_t w = p.at("W"), h = p.at("H");
    const bool texture = p.at("texture");
    if ((w != 1024 && w != 2048) || p.at("BX") != 16 || p.at("BY") != 16) abort();
    const std::vector<float> x = small_floats(w * h);
    Array<float> in(x), out(w * h);
    const auto t = texture ? texture_of_rows(x, w, h) : nullptr;
    Run run;
    run.launch = [=] {
        const dim3 blocks(w / 16, h / 16), threads(16, 16);
        if (w == 1024 && texture) stencil_texture<1024><<<blocks, threads>>>(*t, out.at());
        if (w == 2048 && texture) stencil_texture<2048><<<blocks, threads>>>(*t, out.at());
        if (w == 1024 && !texture) stencil<1024><<<blocks, threads>>>(in.at(), out.at(), h);
        if (w == 2048 && !texture) stencil<2048><<<blocks, threads>>>(in.at(), out.at(), h);
    };
    run.check = [=] { return differ_at(out.get(), w * h, [&](size_t i) { return wanted(x, w, h, i); }); };
    run.least.dram_bytes = 4.0 * w * h;
    run.least.l2_bytes = 8.0 * w * h;
    return run;
}

std::vector<Case> stencil_cases()
{
    return {
        {"stencil-1k", "stencil", "stencil-2d", "texture=0 W=1024 H=3072 BX=16 BY=16", make},
        {"stencil-2k", "stencil", "stencil-2d", "texture=0 W=2048 H=2048 BX=16 BY=16", make, true},
        {"stencil-texture-1k", "stencil", "stencil-2d", "texture=1 W=1024 H=3072 BX=16 BY=16", make, true},
        {"stencil-texture-2k", "stencil", "stencil-2d", "texture=1 W=2048 H=2048 BX=16 BY=16", make, true},
    };
}
