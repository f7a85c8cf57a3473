#!/bin/sh
# whatif: one bottleneck away at a time.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# first MACHINE TRACE NAME [OPTION...]: the bottleneck that whatif names, and that of its first row where a row is named
first()
{
    machine=$1 trace=$2 name=$3
    shift 3
    run whatif "$ROOT/configs/$machine.ini" "$TRACES/$trace.trace" "$@" --json -
    point "whatif: $trace on $machine: $name" "$(want_exit 0; want_empty err; want_json out .bottleneck "\"$name\"")"
}

first g80 transpose-naive 'uncoalesced accesses' -p N=256
point 'whatif: the largest saving is the first row' "$(want_json out '.cases[0].case' '"uncoalesced accesses"')"
first gt200 transpose-naive 'uncoalesced accesses' -p N=256
first g80 reduction-2 'bank conflicts' -p N=65536
# A launch of 12 us for 17 us of work
first g80 reduction-2 'launch overhead' -p N=16384
first g80 matmul 'instruction issue' -j 2
# 82 % of the cycles issue, and all rows together save 16 %
first g80 matmul 'instruction issue' -p N=64
# Nothing of what the atomics wait for would be left without latency: about the same is saved, but no memory is so
first g92 histogram 'atomic operations' -p N=16384
first g80 pointer-chase 'memory latency' -p count=512
first g80 vecadd 'DRAM bandwidth' -p N=262144
first g80 divergence 'divergence' -p trips=16
first g80 register-pressure 'DRAM bandwidth'
first g80 register-pressure 'registers' -p R=17
first g80 gather 'uncoalesced accesses' -p N=32768
first gt200 histogram 'atomic operations' -p N=65536
first g80 constant-diverge 'constants that differ between lanes' -p laps=1

# A warp loads ten columns of words, 16 words apart, each after the one before: 16 passes of each half-warp, so each issues 15 times
# more, 6 cycles each: 10 * 15 * 6.
cat >columns.trace <<'TRACE'
g80trace 1
kernel columns
  grid 1
  block 32
  regs 2
  shared S[1024] : u32
  for i = 1 to 10
    ld r0, S[tid.x*16] via r0
  end
end
TRACE
run whatif "$CONFIG" columns.trace --json -
point 'whatif: bank conflicts by hand' "$(
    want_exit 0
    want_json out .bottleneck '"bank conflicts"'
    want_json out '.cases[0].saved_cycles' 900
    want_json out '.cases[0].option' '"-s ideal.bank_conflicts=yes"'
)"
cycles=$(json out '.cases[0].cycles')
run "$CONFIG" columns.trace -s ideal.bank_conflicts=yes --json -
point 'whatif: the option of a row gives its cycles' "$(want_exit 0; want_json out .total.cycles "$cycles")"

# set, bra, two sides of 8 and 16 instructions, a bra behind each, 4 cycles an instruction: without the side of 8 and both bras 10 * 4
# cycles less.
cat >sides.trace <<'TRACE'
g80trace 1
kernel sides
  grid 1
  block 32
  regs 8
  if laneid < 4
    for i = 0 to 7
      mov r[i]
    end
  else
    repeat 2
      for i = 0 to 7
        mov r[i]
      end
    end
  end
end
TRACE
run "$CONFIG" sides.trace --json -
instructions=$(json out .total.warp_instructions)
run "$CONFIG" sides.trace -s ideal.divergence=yes --json -
point 'whatif: of the sides of an if the longer one alone' "$(want_exit 0; want_json out .total.warp_instructions "$((instructions - 10))")"

run whatif "$CONFIG" "$TRACES/vecadd.trace" -p N=16384 --json one.json --csv one.csv
cp out one
run whatif "$CONFIG" "$TRACES/vecadd.trace" -p N=16384 -j 4 --json four.json --csv four.csv
point 'whatif: no byte depends on -j' "$(want_exit 0; cmp one out 2>&1; cmp one.json four.json 2>&1; cmp one.csv four.csv 2>&1)"
point 'whatif: rows by what they save, all together last' "$(
    want_json four.json '[.cases[:-1][].saved_cycles] | . == (sort | reverse)' true
    want_json four.json '.cases[-1].kind' '"together"'
    want_json four.json '[.cases[] | select(.kind != "block") | .saved_cycles == (.cycles | '"$(json four.json .cycles)"' - .)] | all' true
)"
point 'whatif: blocks of half and double the size' "$(want_json four.json '[.cases[] | select(.kind == "block").option] | sort' '["-p B=128", "-p B=512"]')"
point 'whatif: a row of CSV for each case' "$(want_lines four.csv "$(($(json four.json '.cases | length') + 2))"; want_match four.csv '^trace,machine,overrides,params,case,option,cycles,')"

run whatif "$CONFIG" "$TRACES/divergence.trace" -p trips=2 --json -
point 'whatif: a block size that changes the work is no case' "$(want_exit 0; want_json out '[.cases[] | select(.kind == "block")]' '[]')"
run whatif "$CONFIG" "$TRACES/vecadd.trace" -p N=4096 -s ideal.coalescing=yes --json -
point 'whatif: what is away already is no case' "$(want_exit 0; want_json out '[.cases[] | select(.option == "-s ideal.coalescing=yes")]' '[]')"
run whatif "$CONFIG" "$TRACES/vecadd.trace" -p N=4096 --quiet
point 'whatif --quiet' "$(want_exit 0; want_empty out; want_empty err)"
run whatif "$CONFIG" "$TRACES/vecadd.trace" -j 0
point 'whatif: -j 0' "$(want_exit 2; want_lines err 1; want_match err '1\.\.256')"
run whatif "$CONFIG" missing.trace --json a.json
point 'whatif: no such trace' "$(want_exit 3; want_empty out; want_lines err 1; want_absent a.json)"
run whatif "$CONFIG"
point 'whatif: too few arguments' "$(want_exit 2; want_lines err 1; want_match err 'CONFIG TRACE')"
run whatif "$CONFIG" "$TRACES/vecadd.trace" --json - --csv -
point 'whatif: one thing on standard output' "$(want_exit 2; want_empty out; want_lines err 1)"

finish
