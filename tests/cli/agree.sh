#!/bin/sh
# The simulator counts what the commands say: for some workloads, each access of each warp is put to `coalesce` or `banks` by itself, and
# the sum of the answers is what the simulation of the whole counts.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# ask COMMAND MACHINE ARGUMENT...: adds an answer to the file `answers`
ask()
{
    command=$1
    machine=$2
    shift 2
    "$G80SIM" "$command" "$ROOT/configs/$machine.ini" "$@" --json - >>answers || echo '{"failed": true}' >>answers
}

forget()
{
    : >answers
}

# sum FILTER...: the answers added up, as an array
sum()
{
    jq -s -c "[$1]" answers
}

readonly COALESCED='length, (map(.count) | add), (map(.bytes_moved) | add), (map(.bytes_used) | add)'
readonly BANKED='length, (map(.passes) | add)'

# simulate MACHINE WORKLOAD ARGUMENT...: the counts are in run.json
simulate()
{
    machine=$1
    workload=$2
    shift 2
    run "$ROOT/configs/$machine.ini" "$TRACES/$workload.trace" "$@" --json run.json --quiet
}

# want_global load|store
want_global()
{
    want_json run.json ".total.global.$1 | [.requests, .transactions, .bytes_moved, .bytes_used]" "$(sum "$COALESCED")"
}

want_shared()
{
    want_json run.json '.total.shared | [.requests, .passes]' "$(sum "$BANKED")"
}

# ---- global memory ----

# Two blocks of 256 threads: lane i of warp w copies word 256*block + 32*w + i + offset. Loads and stores alike.
for machine in g80 gt200; do
    for offset in 0 1 8; do
        simulate "$machine" copy-offset -p N=512 -p offset=$offset
        for store in '' --store; do
            forget
            for block in 0 1; do
                for warp in 0 1 2 3 4 5 6 7; do
                    ask coalesce "$machine" --ntid 256 --warp "$warp" --address "4*(256*$block + tid.x + $offset)" ${store:+"$store"}
                done
            done
            point "copy-offset by $offset on $machine:${store:- --load}" "$(want_exit 0; want_global "$([ "$store" ] && echo store || echo load)")"
        done
    done
done

# Four blocks of 16 x 16 threads on a matrix of 32 x 32: rows are read, columns are written.
for machine in g80 gt200 gf100 gk110; do
    simulate "$machine" transpose-naive -p N=32 -p T=16 -p R=16
    for direction in load store; do
        forget
        for x in 0 16; do
            for y in 0 16; do
                for warp in 0 1 2 3 4 5 6 7; do
                    case $direction in
                    load) set -- --address "4*(32*($y + tid.y) + $x + tid.x)" ;;
                    store) set -- --address "4*(32*($x + tid.x) + $y + tid.y)" --store ;;
                    esac
                    ask coalesce "$machine" --ntid 16,16 --warp "$warp" "$@"
                done
            done
        done
        point "transpose-naive on $machine: $direction" "$(want_exit 0; want_global "$direction")"
    done
done

# ---- shared memory ----

# One block of 32 x 8 threads; its tile has rows of `row` words, is written by rows and read by columns, eight of each at a time.
for machine in g80 gf100 gk110; do
    for row in 32 33; do
        case $row in
        32) simulate "$machine" transpose-coalesced -p N=32 ;;
        33) simulate "$machine" transpose-padded -p N=32 ;;
        esac
        forget
        for first in 0 8 16 24; do
            for warp in 0 1 2 3 4 5 6 7; do
                ask banks "$machine" --ntid 32,8 --warp "$warp" --address "4*($row*(tid.y + $first) + tid.x)" --store
                ask banks "$machine" --ntid 32,8 --warp "$warp" --address "4*($row*tid.x + tid.y + $first)"
            done
        done
        point "a tile with rows of $row words on $machine" "$(want_exit 0; want_shared)"
    done
done

# One tile of 16 x 16 threads: each step of k reads As[tid.y][k], the same word for each half-warp, and Bs[k][tid.x].
simulate g80 matmul -p N=16
forget
for warp in 0 1 2 3 4 5 6 7; do
    ask banks g80 --ntid 16,16 --warp "$warp" --address '4*(16*tid.y + tid.x)' --store # As
    ask banks g80 --ntid 16,16 --warp "$warp" --address '4*(16*tid.y + tid.x)' --store # Bs
    for k in $(seq 0 15); do
        ask banks g80 --ntid 16,16 --warp "$warp" --address "4*(16*tid.y + $k)"
        ask banks g80 --ntid 16,16 --warp "$warp" --address "4*(16*$k + tid.x)"
    done
done
point 'matmul of one tile on g80' "$(want_exit 0; want_shared)"

finish
