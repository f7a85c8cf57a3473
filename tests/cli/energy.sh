#!/bin/sh
# Energy of a run, and its place under the roofline: figures worked out by hand, and what must rise or fall.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

export LC_ALL=C
LAB=$ROOT/configs/lab-cache.ini

# machine FILE KEY=VALUE...: the 8800 GTX with these figures of [energy] and no others
machine()
{
    file=$1
    shift
    awk '/^\[/ { energy = /^\[energy\]/ } energy && / = / { print $1 " = 0"; next } { print }' "$CONFIG" >"$file"
    for setting; do
        sed -i "s/^${setting%%=*} = 0\$/${setting%%=*} = ${setting#*=}/" "$file"
        grep -q "^${setting%%=*} = ${setting#*=}\$" "$file"
    done
}

# ---- each event, in nanojoules, so that microjoules / 1000 are events ----

cat >ops.trace <<'END'
g80trace 1
kernel ops
  grid 1
  block 32
  regs 8
  repeat 10
    mad r0, r1, r2, r3
  end
  and r4, r5, r6
  rcp r5, r4
  div r6, r5, r4
  imul r7, r4, r4
end
END
# check KEY PART NUMBER TRACE ARGUMENT...: when the key alone is 1 nJ, the part has so many, and they are all there is
check()
{
    key=$1 part=$2 number=$3
    shift 3
    machine one.ini "$key=1000"
    run one.ini "$@" --json one.json --quiet
    point "$key: $number events, in $part" "$(
        want_exit 0
        want_json one.json ".kernels[0].energy | [.${part}_uj, .total_uj] | map(. * 1000 | round)" "[$number, $number]"
    )"
}
# 32 lanes: 10 multiply-adds of 3 operands, and 2 + 1 + 2 + 2 more; 14 results
check register_read register 1184 ops.trace
check register_write register 448 ops.trace
# 10 x 32 multiply-adds; a division is 36 / 4 = 9 steps, an integer multiplication 16 / 4 = 4
check op_float alu 608 ops.trace
check op_int alu 160 ops.trace
check op_sfu alu 32 ops.trace
check issue issue 14 ops.trace
# 4096 elements: 2 x 16,384 B read in 64-byte transactions and 16,384 written
check dram_read dram 1024 "$TRACES/vecadd.trace" -p N=4096
check dram_write dram 512 "$TRACES/vecadd.trace" -p N=4096
# 512 requests for 32,768 B; 256 stores with 16,384 B, and 256 acknowledgements
check icnt_flit interconnect 2560 "$TRACES/vecadd.trace" -p N=4096
# 64 x 64 words into a tile and out of it
check shared_word shared 8192 "$TRACES/transpose-padded.trace" -p N=64

# 16 SMs of 1 W and 4 W: 20 W, and nothing else
machine leak.ini leakage_sm_mw=1000 leakage_chip_mw=4000
run leak.ini ops.trace --json leak.json --quiet
point 'leakage: 20 W times the time' "$(
    want_exit 0
    want_json leak.json '.kernels[0].energy.average_power_w * 1000 | round' 20000
    want_json leak.json '.kernels[0] | (.energy.leakage_uj - .time_us * 20 | fabs) < 1e-5' true
)"

# ---- a machine without figures, and one without a level ----

machine none.ini
run none.ini ops.trace --json none.json --csv none.csv
point 'no figures: no energy' "$(
    want_exit 0
    want_json none.json '[.kernels[0].energy, .total.energy]' '[null, null]'
    ! grep -q '^Energy' out || reason 'want no line of energy'
)"
run "$CONFIG" ops.trace --json g80.json
point 'a level that the machine lacks is null; one that is not used is 0' "$(
    want_exit 0
    want_json g80.json '.kernels[0].energy | [.l1_uj, .l2_uj, .shared_uj, .dram_uj]' '[null, 0, 0, 0]'
)"
point 'the report: one line' "$(want_match out '^Energy +[0-9.]+ uJ, [0-9.]+ W on average$'; [ "$(grep -c ' uJ' out)" -eq 1 ] || reason 'want one')"
run "$LAB" "$TRACES/matmul-naive.trace" -p N=64 --detail --json detail.json
point '--detail: the parts, whose shares come to 100 %' "$(
    want_exit 0
    want_match out '^Energy by level '
    want_match out '^  leakage +[0-9.]+ +[0-9.]+ %  #'
    awk 'length > 80 && NR > 2 { print "line " NR " is longer than 80 columns" }' out
    sed -n '/^Energy by level/,/^$/p' out | awk '/ %/ { sum += $3 } END { if (sum < 99.5 || sum > 100.5) print "the shares come to " sum " %" }'
)"

# ---- what the course says ----

# lab WORKLOAD: its results in WORKLOAD.json
lab()
{
    run "$LAB" "$TRACES/$1.trace" -p N=128 --json "$1.json" --quiet
}
lab matmul-naive
lab matmul
lab matmul-blocked
# order FILTER FILE FILE FILE: its value rises from file to file
order()
{
    jq -s '[.[].total | '"$1"'] | . == sort and (unique | length) == 3' "$2" "$3" "$4" 2>&1 | grep -qx true ||
        reason "want $1 to rise from $2 through $3 to $4: $(jq -s -c '[.[].total | '"$1"']' "$2" "$3" "$4")"
}
point 'blocking: total energy falls, blocked further it falls more' "$(order .energy.total_uj matmul-blocked.json matmul.json matmul-naive.json)"
point 'leakage falls with the time' "$(
    order .energy.leakage_uj matmul-blocked.json matmul.json matmul-naive.json
    for run in matmul-blocked matmul matmul-naive; do
        # 16 SMs of 1.54 W
        want_json $run.json '.total | (.energy.leakage_uj / .time_us * 1e6 | round)' 24640000
    done
)"
# Blocked, the SMs are busier than with the naive product. With tiles alone hardly: 35.6 W against 33.5, its memory being idle.
point 'blocked, the average power rises' "$(
    jq -s '.[0].total.energy.average_power_w < .[1].total.energy.average_power_w and .[2].total.energy.average_power_w < .[1].total.energy.average_power_w' \
        matmul-naive.json matmul-blocked.json matmul.json 2>&1 | grep -qx true || reason 'want blocked above the two others'
)"

# 262,144 floats are written, 1 MB, and 2 MB read: the L2 of 1,026 KB does not keep what is written. One of 4.5 MB does.
run "$LAB" "$TRACES/vecadd.trace" -p N=262144 --json small.json --quiet
run "$LAB" "$TRACES/vecadd.trace" -p N=262144 -s l2.bytes=768K --json large.json --quiet
# a burst of 32 bytes is 5,200 pJ written and 9,200 pJ read; an activate 10,800
DRAM='.kernels[0] | (.dram.read_bytes / 32 * 9200 + .dram.written_bytes / 32 * 5200 + .dram.activates * 10800) / 1e6 - .energy.dram_uj | fabs < 1e-4'
point 'dirty lines that are evicted reach the DRAM, and its energy' "$(
    want_json small.json '.kernels[0] | [.l2.writebacks > 0, .dram.written_bytes == .l2.written_bytes]' '[true,true]'
    want_json small.json "$DRAM" true
    want_json large.json '.kernels[0] | [.l2.writebacks, .dram.written_bytes]' '[0,0]'
    want_json large.json "$DRAM" true
    jq -e -s '.[0].kernels[0].energy.dram_uj > .[1].kernels[0].energy.dram_uj' small.json large.json >/dev/null || reason 'want less energy with the larger L2'
)"
# L2: what is asked for and what comes in, and what is read to be written back
point 'and are read from the L2 for it' "$(
    for file in small.json large.json; do
        want_json $file '.kernels[0] | (.l1.fetched_bytes + .l2.written_bytes) / 32 * 111.6 + (.global.store.bytes_moved + .l2.fetched_bytes) / 32 * 135.7 | . / 1e6 - '"$(json $file '.kernels[0].energy.l2_uj')"' | fabs < 1e-4' true
    done
)"

# ---- totals ----

run "$CONFIG" "$TRACES/reduction-3.trace" -p N=65536 --json sum.json --csv sum.csv --quiet
point 'the total of several launches adds up' "$(
    want_exit 0
    want_json sum.json '.kernels | length' 2
    want_json sum.json '([.kernels[].energy.total_uj] | add) - .total.energy.total_uj | fabs < 1e-4' true
    want_json sum.json '.total | .energy.total_uj / .time_us - .energy.average_power_w | fabs < 1e-6' true
    want_json sum.json '.total.energy | ([del(.total_uj, .average_power_w)[] | select(. != null)] | add) - .total_uj | fabs < 1e-4' true
    want_json sum.json '[.kernels[].roofline.bytes] | add' "$(json sum.json .total.dram.bytes)"
)"
point 'CSV has its columns' "$(head -1 sum.csv | grep -q 'roofline.intensity.*energy.total_uj.*energy.average_power_w' || reason 'want columns')"

# ---- the roofline of a run ----

# matmul with tiles of 16: 2 N^3 = 4,194,304 operations; N = 128 moves 2 N^3 / 16 x 4 B and N^2 x 4 B: 1,048,576 + 65,536
run "$CONFIG" "$TRACES/matmul.trace" -p N=128 --json roof.json
point 'the place of a run under the roof' "$(
    want_exit 0
    want_json roof.json '.kernels[0].roofline | [.flops, .bytes, .ridge, .bound]' '[4194304, 1114112, 4, "memory"]'
    want_json roof.json '.kernels[0].roofline | .flops / .bytes - .intensity | fabs < 1e-8' true
    want_json roof.json '.kernels[0].roofline | .intensity * 86.4 - .attainable_gflops | fabs < 1e-5' true
    want_json roof.json '.kernels[0] | .roofline.achieved_gflops == .gflops' true
    want_match out '^Roofline +3\.76 FLOP/byte, ridge 4\.00: memory bound at 325\.3 GFLOP/s$'
)"
run "$CONFIG" ops.trace --json ops.json
point 'without a byte of the memory: bound by the arithmetic' "$(
    want_exit 0
    want_json ops.json '.kernels[0].roofline | [.bytes, .intensity, .attainable_gflops, .bound]' '[0, null, 345.6, "compute"]'
    want_match out '^Roofline +no bytes of the memory: compute bound at 345\.6 GFLOP/s$'
)"
printf '%s\n' 'g80trace 1' 'global a[32] : f32' 'kernel k' '  grid 1' '  block 32' '  regs 1' '  ld r0, a[tid.x]' end >load.trace
run "$CONFIG" load.trace --json none.json
point 'without an operation: no line, and the memory bounds it' "$(
    want_exit 0
    want_json none.json '.kernels[0].roofline | [.flops, .intensity, .attainable_gflops, .bound]' '[0, 0, 0, "memory"]'
    ! grep -q '^Roofline' out || reason 'want no line'
)"

run stats --json -
cp out stats.json
point 'stats documents every member' "$(
    for group in roofline energy; do
        jq -r ".kernels[0].$group | keys[] | \"$group.\" + ." roof.json
    done >members
    jq -r '.[].path' stats.json >documented
    while read -r member; do
        grep -qxF "$member" documented || echo "$member is not documented"
    done <members
)"

finish
