#!/bin/sh
# roofline: ridge, attainable rate and bound, in words, as JSON, as a chart and an image; and the section that a run has.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

export LC_ALL=C
EXERCISE=$ROOT/configs/exercise.ini

# ---- the exercise: 10 TFLOP/s and 500 GB/s ----

# 10,000 / 500 = 20; 0.25 x 500 = 125 and 4 x 500 = 2,000 GFLOP/s
run roofline "$EXERCISE" --point naive=0.25/1 --point tiled=4/1 --json exercise.json
point 'exercise: the ridge is 20; 0.25 and 4 FLOP/byte are bound by the memory' "$(
    want_exit 0
    want_empty err
    want_match out '^Arithmetic +10000\.0 GFLOP/s: 50 SMs x 64 multiply-adds'
    want_match out '^Memory +500\.0 GB/s: 10 partitions x 8 bytes x 4'
    want_match out '^Ridge +20 FLOP/byte'
    want_match out '^A naive +0\.25 +125\.0 +1\.2 %  memory'
    want_match out '^B tiled +4 +2000\.0 +20\.0 %  memory'
    want_json exercise.json '[.peak_gflops, .peak_gbs, .ridge]' '[10000, 500, 20]'
    want_json exercise.json '[.points[] | [.name, .intensity, .attainable_gflops, .achieved_gflops, .bound]]' \
        '[["naive",0.25,125,null,"memory"],["tiled",4,2000,null,"memory"]]'
)"
cp exercise.json own.json
run roofline "$CONFIG" --peak-gflops 10000 --peak-gbs 500 --point naive=0.25/1 --point tiled=4/1 --json exercise.json
point 'the peaks can be given on any machine' "$(
    want_exit 0
    want_match out '^Arithmetic +10000\.0 GFLOP/s, as given$'
    want_match out '^Memory +500\.0 GB/s, as given$'
    cmp own.json exercise.json
)"
# the chart: the ridge once, each point once, on the slope at the left of the ridge
point 'all points stand in one chart' "$(
    sed -n '/GFLOP/,/FLOP.byte/p' out >chart
    sed -n 's/^ *[0-9.]* |//p' chart >cells
    [ "$(tr -cd A <cells | wc -c)" -eq 1 ] || reason 'want one A'
    [ "$(tr -cd B <cells | wc -c)" -eq 1 ] || reason 'want one B'
    [ "$(tr -cd + <cells | wc -c)" -eq 1 ] || reason 'want one ridge'
    want_match cells '^ +/*\+-+$'
    awk 'length > 80 { print "line " NR " is longer than 80 columns" }' out
    ! grep -n ' $' out || reason 'want no blank at the end of a line'
)"

# ---- one kernel ----

# n = 2048: 2n^3 = 17,179,869,184 operations; 2 n^3 reads of 4 bytes are 68,719,476,736 B with n^2 stores more. Intensity 0.25:
# 0.25 x 86.4 = 21.6 GFLOP/s, 68,719,476,736 B / 86.4 GB/s = 795.4 ms
run roofline "$CONFIG" --flops 17179869184 --bytes 68719476736 --json one.json
point '--flops and --bytes: one kernel' "$(
    want_exit 0
    want_match out '^A kernel +0\.25 +21\.6 +6\.2 %  memory +795\.4 ms$'
    want_json one.json '.points | length' 1
    want_json one.json '.points[0] | [.intensity, .attainable_gflops, .bound, .least_us]' '[0.25, 21.6, "memory", 795364.314]'
    want_json one.json '[.peak_gflops, .peak_gbs, .ridge]' '[345.6, 86.4, 4]'
)"
# 1,048,576 floats: 4,194,304 B / 500 GB/s = 8.39 us; no operations, so no place on logarithmic axes
run roofline "$EXERCISE" --flops 0 --bytes 4194304 --json copy.json
point 'no operations: the floor of a stream' "$(
    want_exit 0
    want_match out '^A kernel +0 +0\.0 +0\.0 %  memory +8\.389 us$'
    want_json copy.json '.points[0] | [.intensity, .attainable_gflops, .least_us]' '[0, 0, 8.388608]'
)"
run roofline "$EXERCISE" --flops 1e9 --bytes 0 --json none.json
point 'no bytes: bound by the arithmetic' "$(
    want_exit 0
    want_json none.json '.points[0] | [.intensity, .attainable_gflops, .bound, .least_us]' '[null, 10000, "compute", 100]'
)"
run roofline "$EXERCISE" --flops 0 --bytes 0 --json none.json
point 'neither: no bound' "$(want_exit 0; want_json none.json '.points[0] | [.intensity, .attainable_gflops, .bound]' '[null, null, null]')"
# 10^9 operations in 200 us: 5,000 of 10,000 GFLOP/s
run roofline "$EXERCISE" --point k=1e9/1e7/200 --json took.json
point 'a point with a time stands below the roof' "$(
    want_exit 0
    want_match out '^A k +100 +10000\.0 +100\.0 %  compute +100 us +200 us$'
    want_json took.json '.points[0].achieved_gflops' 5000
)"
run roofline "$CONFIG" -s sm.count=8 -s dram.khz=450000 --json half.json
point 'it follows the configuration: half the SMs, half the clock of the memory' "$(
    want_exit 0
    want_match out '^  -s sm\.count=8$'
    want_json half.json '[.peak_gflops, .peak_gbs, .ridge]' '[172.8, 43.2, 4]'
)"

# ---- an image ----

if command -v gnuplot >/dev/null; then
    # shellcheck disable=SC2016 # a name that a shell and gnuplot would make something of
    run roofline "$EXERCISE" --point 'a`b$c=1/4' --point tiled=4/1 --plot roof.svg
    point '--plot: an image with all points' "$(
        want_exit 0
        want_match roof.svg '<svg'
        want_match roof.svg 'a\?b\?c'
        want_match roof.svg 'tiled'
        want_match roof.svg 'ridge 20'
    )"
    run roofline "$EXERCISE" --plot -
    point '--plot -: in place of the text' "$(want_exit 0; want_match out '<svg'; ! grep -q '^Ridge' out || reason 'want no text')"
fi
code=0
PATH=$scratch "$G80SIM" roofline "$EXERCISE" --plot new.svg >out 2>err || code=$?
point 'no gnuplot: told at once' "$(want_exit 2; want_empty out; want_lines err 1; want_match err '^--plot: gnuplot: not found'; want_absent new.svg)"

# ---- mistakes ----

# refuse NAME MESSAGE ARGUMENT...
refuse()
{
    name=$1 message=$2
    shift 2
    run roofline "$@"
    point "$name" "$(want_exit 2; want_empty out; want_lines err 1; want_match err "$message")"
}
refuse 'no machine' 'too few arguments'
refuse '--flops alone' 'want both, or none' "$EXERCISE" --flops 1
refuse 'no number' '--flops -1: want operations' "$EXERCISE" --flops=-1 --bytes 1
refuse 'a number with something behind it' '--bytes 4K: want bytes' "$EXERCISE" --flops 1 --bytes 4K
refuse 'a point without a name' '--point =1/2: want NAME=FLOPS/BYTES' "$EXERCISE" --point =1/2
refuse 'a point without bytes' '--point a=1: want NAME=' "$EXERCISE" --point a=1
refuse 'a point with too much' '--point a=1/2/3/4: want NAME=' "$EXERCISE" --point a=1/2/3/4
refuse 'no time' '--point a=1/2/0: want NAME=.*US above 0' "$EXERCISE" --point a=1/2/0
refuse 'a peak of 0' '--peak-gbs 0: want GB/s' "$EXERCISE" --peak-gbs 0
refuse 'two documents on standard output' 'want one of --json and --plot' "$EXERCISE" --json - --plot -
# shellcheck disable=SC2046 # 27 words
refuse 'more points than letters' 'at most 26 points' "$EXERCISE" $(seq -f '--point=p%g=1/1' 27)

finish
