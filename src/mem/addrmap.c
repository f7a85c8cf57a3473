#include "mem/addrmap.h"

#include "base/bits.h"

AddrMap addrmap_make(uint32_t partitions, uint32_t interleave_bytes, bool hash)
{
    return (AddrMap){partitions, interleave_bytes, hash, divider(partitions), bits_lowest(interleave_bytes)};
}
