# shellcheck shell=sh
# For the tests of compare, after lib.sh: a machine and traces whose cycles are known.

# A machine of round numbers: a cycle is 1 ns, the first instruction issues at 76, a launch takes 900 ns besides.
cat >mini.ini <<'INI'
[sm]
khz = 1000000
[launch]
dispatch_cycles = 76
overhead_us = 0.9
INI

# kernel NAME STATEMENT: six independent instructions of W warps of 32 lanes. Each takes the port for 4 cycles, so the kernel takes
# 76 + 24*W cycles: 100, 124 and 268 for 1, 2 and 8 warps (see tests/unit/test-timing-straight.c).
kernel()
{
    printf 'kernel %s\n  grid 1\n  block 32*W\n  regs 8\n' "$1"
    [ "$2" != mad ] || echo '  useful 500*W'
    for r in 0 1 2 3 4 5; do
        if [ "$2" = mad ]; then echo "  mad r$r, r6, r7, r$r"; else echo "  mov r$r"; fi
    done
    echo end
}
{
    printf 'g80trace 1\nparam W = 1\n'
    kernel six mad
} >six.trace
{
    printf 'g80trace 1\nparam W = 1\nrequire W < 10\n'
    kernel moves mov
} >moves.trace
{
    printf 'g80trace 1\nparam W = 1\n'
    kernel six mad
    kernel moves mov
} >two.trace

# compare FILE [ARGUMENT...]: on that machine
compare()
{
    run compare mini.ini "$@"
}
