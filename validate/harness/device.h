#pragma once
/* What kernels and harness share: CUDA's errors, arrays on the device, numbers that both the CPU and the traces can make. */
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#define CUDA(call) cuda_must((call), #call, __FILE__, __LINE__)

inline void cuda_must(cudaError_t code, const char *what, const char *file, int line)
{
    if (code == cudaSuccess) return;
    fprintf(stderr, "measure: %s: %s (%s:%d)\n", what, cudaGetErrorString(code), file, line);
    exit(2);
}

/* An array on the device, freed with its last copy. */
template <class T> class Array {
public:
    explicit Array(size_t n) : count(n)
    {
        T *p = nullptr;
        CUDA(cudaMalloc(&p, n * sizeof(T)));
        memory = std::shared_ptr<T>(p, [](T *q) { cudaFree(q); });
        poison();
    }
    explicit Array(const std::vector<T> &from) : Array(from.size())
    {
        CUDA(cudaMemcpy(memory.get(), from.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    T *at() const { return memory.get(); }
    size_t size() const { return count; }
    void poison() const { CUDA(cudaMemset(memory.get(), 0xff, count * sizeof(T))); } /* a NaN, or -1: what nobody writes shows */
    void zero() const { CUDA(cudaMemset(memory.get(), 0, count * sizeof(T))); }
    std::vector<T> get() const
    {
        std::vector<T> to(count);
        CUDA(cudaMemcpy(to.data(), memory.get(), count * sizeof(T), cudaMemcpyDeviceToHost));
        return to;
    }

private:
    size_t count;
    std::shared_ptr<T> memory;
};

/* hash(x) of the trace language: splitmix64's first step and finalizer (Steele, Lea, Flood, OOPSLA 2014) without the top bit. */
inline uint64_t trace_hash(uint64_t x)
{
    uint64_t z = x + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) & INT64_MAX;
}

/* Floats that look random and are small whole numbers: sums and products of a few are exact, in any order. */
inline std::vector<float> small_floats(size_t n, unsigned seed = 1)
{
    std::vector<float> v(n);
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        v[i] = (float)((int)(seed >> 28) - 8);
    }
    return v;
}

/* Where they first differ, or nothing. Relative to the larger of 1 and what is wanted; a NaN differs. */
template <class T> std::string differ(const std::vector<T> &got, const std::vector<T> &want, double tolerance = 0)
{
    for (size_t i = 0; i < want.size(); i++) {
        const double g = (double)got[i], w = (double)want[i];
        if (std::fabs(g - w) <= tolerance * std::fmax(1, std::fabs(w))) continue;
        char text[160];
        snprintf(text, sizeof text, "element %zu is %.9g, the CPU has %.9g", i, g, w);
        return text;
    }
    return "";
}

/* Floats that must be the same bit for bit, where they are known by index. */
template <class F> std::string differ_at(const std::vector<float> &got, size_t n, F want)
{
    for (size_t i = 0; i < n; i++) {
        const float w = want(i);
        if (got[i] == w) continue;
        char text[160];
        snprintf(text, sizeof text, "element %zu is %.9g, the CPU has %.9g", i, (double)got[i], (double)w);
        return text;
    }
    return "";
}

/* Arithmetic that no compiler takes apart: each is one instruction of a chain, in the order in which they stand. */
__device__ __forceinline__ void fma_here(float &a, float x, float y)
{
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a) : "f"(x), "f"(y));
}

/* a + 1, which reads one register: FADD Rd, Rd, 1. A multiply-add of three (FFMA R0, R0, R4, R5) reads two of one of the two banks of the
 * register file, and is issued every second cycle on an H200 where warps take turns: 16 warps measured 8.2 cycles a step. */
__device__ __forceinline__ void add_one(float &a)
{
    asm volatile("add.rn.f32 %0, %0, 0f3F800000;" : "+f"(a));
}

/* For kernels whose trace states steps. The first block's longest span of clock64 from `begin`, which each warp took at its start. */
__device__ __forceinline__ void span_end(unsigned long long *span, long long begin)
{
    const long long end = clock64();
    if (blockIdx.x == 0 && threadIdx.x % 32 == 0) atomicMax(span, (unsigned long long)(end - begin));
}
