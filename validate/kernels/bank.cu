/*
 * Banks of shared memory: every warp reads elements of 4, 8 or 16 bytes that lie `stride` elements apart. The loads are volatile in
 * PTX, since all turns read the same places: of plain ones the assembler makes a single load before the loop, whatever the C++ around
 * them says. Machine code of the loop: eight LDS, LDS.64 or LDS.128, then four IADD3 or eight additions.
 */
#include "harness/case.h"
#include "harness/device.h"

template <int width> static __device__ __forceinline__ unsigned load(unsigned at);

template <> __device__ __forceinline__ unsigned load<4>(unsigned at)
{
    unsigned a;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(at));
    return a;
}

template <> __device__ __forceinline__ unsigned load<8>(unsigned at)
{
    uint2 v;
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(at));
    return v.x;
}

template <> __device__ __forceinline__ unsigned load<16>(unsigned at)
{
    uint4 v;
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(at));
    return v.x;
}

/* Every warp of a block reads the same words; a lane's own word is its number and one. */
template <int width> static __global__ void bank_stride(unsigned *out, int stride, int n)
{
    extern __shared__ uint4 s[];
    const unsigned lane = threadIdx.x % 32, at = (unsigned)__cvta_generic_to_shared(s) + lane * stride * width;
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(lane + 1) : "memory");
    __syncthreads();
    unsigned sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        unsigned v[8];
#pragma unroll
        for (int u = 0; u < 8; u++)
            v[u] = load<width>(at);
#pragma unroll
        for (int u = 0; u < 8; u++)
            sum += v[u];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static Run make(const Params &p)
{
    const unsigned width = p.at("width"), stride = p.at("stride"), n = p.at("n"), warps = p.at("W"), blocks = p.at("blocks");
    Array<unsigned> out(blocks * 32 * warps);
    Run run;
    run.launch = [=] {
        const size_t bytes = 32 * stride * width;
        if (width == 4) bank_stride<4><<<blocks, 32 * warps, bytes>>>(out.at(), stride, n);
        if (width == 8) bank_stride<8><<<blocks, 32 * warps, bytes>>>(out.at(), stride, n);
        if (width == 16) bank_stride<16><<<blocks, 32 * warps, bytes>>>(out.at(), stride, n);
    };
    run.check = [=] {
        std::vector<unsigned> want(out.size());
        for (size_t i = 0; i < want.size(); i++)
            want[i] = 8 * n * (i % 32 + 1);
        return differ(out.get(), want);
    };
    run.least.shared_bytes = 8.0 * n * blocks * warps * 32 * width;
    return run;
}

std::vector<Case> bank_cases()
{
    return {
        {"bank-4-1", "bank-4", "bank-stride", "width=4 stride=1 n=256 W=8 blocks=132", make},
        {"bank-4-2", "bank-4", "bank-stride", "width=4 stride=2 n=256 W=8 blocks=132", make},
        {"bank-4-3", "bank-4", "bank-stride", "width=4 stride=3 n=256 W=8 blocks=132", make, true},
        {"bank-4-4", "bank-4", "bank-stride", "width=4 stride=4 n=256 W=8 blocks=132", make, true},
        {"bank-4-8", "bank-4", "bank-stride", "width=4 stride=8 n=256 W=8 blocks=132", make, true},
        {"bank-4-16", "bank-4", "bank-stride", "width=4 stride=16 n=256 W=8 blocks=132", make, true},
        {"bank-4-32", "bank-4", "bank-stride", "width=4 stride=32 n=256 W=8 blocks=132", make},
        {"bank-8-1", "bank-8", "bank-stride", "width=8 stride=1 n=256 W=8 blocks=132", make, true},
        {"bank-8-2", "bank-8", "bank-stride", "width=8 stride=2 n=256 W=8 blocks=132", make},
        {"bank-8-4", "bank-8", "bank-stride", "width=8 stride=4 n=256 W=8 blocks=132", make, true},
        {"bank-8-16", "bank-8", "bank-stride", "width=8 stride=16 n=256 W=8 blocks=132", make, true},
        {"bank-8-32", "bank-8", "bank-stride", "width=8 stride=32 n=256 W=8 blocks=132", make, true},
        {"bank-16-1", "bank-16", "bank-stride", "width=16 stride=1 n=256 W=8 blocks=132", make, true},
        {"bank-16-2", "bank-16", "bank-stride", "width=16 stride=2 n=256 W=8 blocks=132", make, true},
        {"bank-16-3", "bank-16", "bank-stride", "width=16 stride=3 n=256 W=8 blocks=132", make, true},
        {"bank-16-8", "bank-16", "bank-stride", "width=16 stride=8 n=256 W=8 blocks=132", make},
        {"bank-16-32", "bank-16", "bank-stride", "width=16 stride=32 n=256 W=8 blocks=132", make, true},
    };
}
