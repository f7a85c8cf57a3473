#!/bin/sh
# What operations cost, from the program's own numbers: two runs of a workload at two lengths, and what the cycles of its kernels differ by.
# All operations are in tests/unit/test-op-costs.c, with their sources.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# costs MACHINE WORKLOAD SHORT LONG INSTRUCTIONS [ARGUMENT...]: runs it with n=SHORT and n=LONG, which differ by INSTRUCTIONS of an SM, and
# leaves in costs.json the cycles that one of them takes, by kernel.
costs()
{
    machine=$1 workload=$2 short=$3 long=$4 instructions=$5
    shift 5
    for n in "$short" "$long"; do
        run "$ROOT/configs/$machine.ini" "$TRACES/$workload.trace" -p "n=$n" "$@" --json "$n.json"
        point "$workload on $machine, n=$n: runs" "$(want_exit 0; want_empty err)"
    done
    jq -s --argjson instructions "$instructions" '[.[0].kernels, .[1].kernels] | transpose
        | map({key: .[0].name, value: ((.[1].cycles - .[0].cycles) / $instructions)}) | from_entries' "$short.json" "$long.json" >costs.json
}

# takes OPERATION CYCLES SOURCE
takes()
{
    point "$workload on $machine: $1 takes $2 cycles ($3)" "$(want_json costs.json ".op_$1" "$2")"
}

# 8 turns more of 8 instructions of 8 warps
costs g80 op-throughput 8 16 512
takes add 4 'sources A3'
takes mul24 4 'sources A3'
takes imul 16 'sources A3'
takes rsqrt 16 'sources A3'
takes sin 32 'sources A3'
takes div 36 'sources A3'
point 'op-throughput: the instructions of 16 SMs' "$(want_json 16.json '[.kernels[].warp_instructions] | unique' "[$((16 * 8 * 8 * 16))]")"
point 'op-throughput: no kernel of double precision' "$(want_json 16.json '.kernels | length' 18)"

costs g80 op-latency 10 20 10
takes mad 24 'sources A3'
takes sqrt 56 'sources A8'

costs gt200 op-latency 10 20 10 -p double=1
takes add 24 'sources A8'
takes imad 120 'sources A8'
takes dfma 48 'sources A8'
takes rem 784 'sources A8'

# 1.5 operations per clock are 21.3 cycles for a warp of 32, and 0.9 are 35.6: within 5 %
costs gt200 op-throughput 8 16 512 -p double=1
point 'op-throughput on gt200: div, 1.5 operations per clock (sources A8)' "$(want_json costs.json '(32 / .op_div / 1.5 - 1 | fabs) < 0.05' true)"
point 'op-throughput on gt200: dadd, 0.9 operations per clock (sources A8)' "$(want_json costs.json '(32 / .op_dadd / 0.9 - 1 | fabs) < 0.05' true)"

for workload in op-throughput op-latency; do
    run "$CONFIG" "$TRACES/$workload.trace" -p double=1 --json refused.json
    point "$workload -p double=1 on g80: refused with the line" "$(want_exit 3; want_absent refused.json
        want_match err "$workload\\.trace:[0-9]+: double precision: want compute capability 1\\.3")"
done

finish
