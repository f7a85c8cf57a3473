/*
 * What the room at a partition does to camping, on two partitions. Every warp stores 32 times to the one partition, then 32 times to the
 * other, so that all are on the same one at the same time. With slots for all of it and no limit of room, what is for the second partition
 * goes there while the first still has its queue to work off. With room for a few requests the port holds them behind those that wait for the
 * first, and one partition idles: at worst twice the time.
 */
#include "simulate.h"

#define MACHINE "partition.count=2 sm.memory_slots=512 dram.t_refi=0 icnt.partition_bytes="

/* Blocks of 256 bytes go to the partitions in turn. In step i each of 128 warps stores to one of the pairs of blocks of its round, to the one
 * that `partition` says. Rounds follow each other in memory, so that rows stay open. */
static char *stores_text(const char *round, const char *partition)
{
    return g_strdup_printf("g80trace 1\nglobal G[2097152] : u32\nkernel k\n  grid 16\n  block 256\n  regs 2\n  for i = 0 to 63\n"
                           "    st G[(((%s)*128 + ctaid.x*8 + tid.x/32)*2 + %s)*64 + tid.x %% 32], r0\n  end\nend\n",
                           round, partition);
}

static Cycle cycles(const char *round, const char *partition, const char *room)
{
    g_autofree char *text = stores_text(round, partition), *overrides = g_strconcat(MACHINE, room, NULL);
    return simulate_cycles(text, overrides, "%s", "");
}

#define CAMPING "i % 32", "i / 32"
#define IN_TURN "i / 2", "i % 2"

/* 16 blocks of 8 warps store 64 times 128 bytes: 524 288 bytes for each partition, which takes 32 bytes in 3 cycles at best. */
enum { ALL_BYTES = 16 * 8 * 64 * 128, BOTH = ALL_BYTES / 2 / 32 * 3 };

START_TEST(camping_is_worse_where_a_partition_has_little_room)
{
    const Cycle free = cycles(CAMPING, "0"), tight = cycles(CAMPING, "1024");
    ck_assert_uint_ge(free, BOTH);
    ck_assert_msg(2 * tight >= 3 * free, "%" G_GUINT64_FORMAT " cycles, %" G_GUINT64_FORMAT " without a limit", tight, free);
    ck_assert_uint_le(tight, 2 * free);
}
END_TEST

/* Who goes round the partitions is not held up: within 5 %, for the order of the requests is another one. */
START_TEST(in_turn_the_same_room_is_enough)
{
    const Cycle free = cycles(IN_TURN, "0"), tight = cycles(IN_TURN, "1024");
    ck_assert_msg(100 * tight <= 105 * free, "%" G_GUINT64_FORMAT " cycles, %" G_GUINT64_FORMAT " without a limit", tight, free);
}
END_TEST

/* Nothing but time: the same requests and bytes. */
START_TEST(the_same_is_moved)
{
    g_autofree char *text = stores_text(CAMPING);
    KernelResult free = simulate(text, "", MACHINE "0", 0), tight = simulate(text, "", MACHINE "1024", 0);
    ck_assert_uint_eq(tight.kernel.warp_instructions, free.kernel.warp_instructions);
    ck_assert_uint_eq(tight.n_partitions, 2);
    ck_assert_uint_eq(free.n_partitions, 2);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_eq(tight.partitions[i].writes, free.partitions[i].writes);
        ck_assert_uint_eq(tight.partitions[i].written_bytes, ALL_BYTES / 2);
        ck_assert_uint_eq(free.partitions[i].written_bytes, ALL_BYTES / 2);
    }
    result_clear(&free);
    result_clear(&tight);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, camping_is_worse_where_a_partition_has_little_room);
    tcase_add_test(tcase, in_turn_the_same_room_is_enough);
    tcase_add_test(tcase, the_same_is_moved);
}

int main(void)
{
    return unit_main("camping-room", add);
}
