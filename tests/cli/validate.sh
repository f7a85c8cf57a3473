#!/bin/sh
# The rows of validate/measure without a GPU: each is about a shipped trace, at sizes that it takes; and what the program says of its options.
# $MEASURE is the program, empty where there is no nvcc; the rows are read off the sources either way.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

# A row of a family's table: {"id", "family", "workload", "params", function},
sed -n 's/^ *{"\([^"]*\)", "\([^"]*\)", "\([^"]*\)", "\([^"]*\)", .*},$/\1,\2,\3,\4/p' "$ROOT"/validate/kernels/*.cu >rows

why=$([ "$(wc -l <rows)" -ge 80 ] || reason "want 80 rows or more, there are $(wc -l <rows)")
why=$why$(cut -d , -f 1 rows | sort | uniq -d | sed 's/^/two rows are called /')
point 'there are enough rows, each with a name of its own' "$why"

# Checked, not run: trace check takes the parameters.
why=$(
    while IFS=, read -r id family workload params; do
        set -- trace check "$TRACES/$workload.trace"
        for setting in $params; do
            set -- "$@" -p "$setting"
        done
        run "$@"
        [ "$code" -eq 0 ] || reason "$id of $family: exit status $code: $(head -n 1 err)"
    done <rows
)
point 'every row is a trace and parameters that it takes' "$why"

# All parameters of a trace that no launch sets are named in the row, or the defaults would be kept in two places.
why=$(
    while IFS=, read -r id family workload params; do
        sed -n 's/^param \([A-Za-z0-9]*\) = [0-9]*$/\1/p' "$TRACES/$workload.trace" | while read -r name; do
            case " $params" in *" $name="*) continue ;; esac
            grep -q "^launch.* $name=\|^  launch.* $name=" "$TRACES/$workload.trace" || [ "$name" = laps ] || [ "$name" = src ] ||
                reason "$id: does not say $name"
        done
    done <rows
)
point 'every row names all parameters' "$why"

# A file as measure writes it: its header, a row with what its notes may have, a row that was refused.
{
    echo '# device: a GPU, "with quotes", and commas'
    sed -n 's/.*fprintf(file, "\(id,workload,params,metric,.*\)\\n");.*/\1/p' "$ROOT/validate/measure.cu"
    echo '# refused: b (vecadd N=4096 B=256): wrong result: element 0 is nan'
    echo 'a,vecadd,N=4096 B=256,cycles,5000,cycles,measured,vecadd,-,"GPU, the first",events less the launch; spread 0.3 %'
    echo '# clocks after: -'
} >measured.csv
run compare "$ROOT/configs/h200.ini" measured.csv -w "$TRACES"
point 'compare reads what measure writes' "$(want_exit 0)$(grep -q '^a  *vecadd N=4096 B=256  *cycles  *5,000 ' out || reason 'no row')"

# Counters: a profile as ncu writes it, of two rows of which the second has two launches. vecadd of 4096 elements: 128 warps, each with two
# loads and a store of 4 sectors; its 6 instructions too many are made up.
cat >rows.csv <<'CSV'
id,workload,params,launches
vec,vecadd,N=4096 B=256,1
sum,reduction-7,N=8192 B=128 maxblocks=32,2
CSV
cat >raw.csv <<'CSV'
==PROF== Connected to process 7
"ID","Kernel Name","Block Size","l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","lts__t_sector_hit_rate.pct","smsp__inst_executed.sum"
"","","","","sector","%","inst"
"0","vecadd(const float *, float *)","(256, 1, 1)","256","1,024","50.5","1,542"
"1","reduce7(int)","(128, 1, 1)","256","1024","10","100"
"2","reduce7(int)","(16, 1, 1)","2","8","20","20"
CSV
counters()
{
    code=0
    G80SIM=$G80SIM "$ROOT/validate/counters" "$@" >out 2>err </dev/null || code=$?
}
counters --parse rows.csv raw.csv
why=$(want_exit 0; want_lines out 9
    grep -qx 'vec,vecadd,N=4096 B=256,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,1024' out || reason 'no sectors'
    grep -qx 'sum,reduction-7,N=8192 B=128 maxblocks=32,smsp__inst_executed.sum,120' out || reason 'launches are not added'
    grep -qx 'sum,.*,lts__t_sector_hit_rate.pct,15' out || reason 'rates are not averaged')
point 'the profile of two rows' "$why"

# 128 warps of 13 instructions: the 12 of the trace on cc 1.0 and the join at the end of its `if` (sm.join_cycles)
sed 's/1,542/1,664/' raw.csv >equal.csv
counters --parse rows.csv equal.csv
{ echo '# device: none'; cat out; } >counters.csv
counters --compare counters.csv vec
why=$(want_exit 0
    grep -qx 'vec,l1tex__t_requests_pipe_lsu_mem_global_op_ld,global.load.requests,256,256,0,' out || reason 'requests differ'
    grep -qx 'vec,l1tex__t_sectors_pipe_lsu_mem_global_op_ld,global.load.bytes_moved,32768,32768,0,' out || reason 'sectors differ: bytes are 32 of each'
    grep -q '^vec,lts__t_sector_hit_rate,l2.hit_rate,0.505,' out || reason 'the rate is not a ratio'
    grep -qx 'vec,smsp__inst_executed,warp_instructions,1664,1664,0,' out || reason 'instructions differ'
    ! grep -q '^sum,' out || reason 'a row that was not wanted')
point 'counters beside those of g80sim' "$why"

sed '$d' raw.csv >short.csv
counters --parse rows.csv short.csv
point 'a launch that is missing' "$(want_exit 1)$(grep -q '2 launches in the profile, and the rows have 3' err || reason 'not said')"

# A stand-in for ncu, which knows three metrics: what is asked of it, and the file that comes of its answer.
cat >ncu <<'SH'
#!/bin/sh
case $1 in
--version) echo 'Version 1' ;;
--query-metrics) printf '%s  a counter\n' l1tex__t_requests_pipe_lsu_mem_global_op_ld smsp__inst_executed lts__t_sector_hit_rate ;;
*)
    while [ $# -gt 0 ]; do
        [ "$1" != --metrics ] || echo "$2" >asked
        [ "$1" != --log-file ] || cp raw.csv "$2"
        [ "$1" != --output ] || cp rows.csv "$2"
        shift
    done
    ;;
esac
SH
chmod +x ncu
NCU=$PWD/ncu MEASURE=$PWD/ncu COMMIT=abc counters collected.csv
why=$(want_exit 0; want_lines collected.csv 13
    [ "$(tr , '\n' <asked | sort | tr '\n' ' ')" = 'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum lts__t_sector_hit_rate.pct smsp__inst_executed.sum ' ] ||
        reason "asked for $(cat asked)"
    grep -q '^# not known to this profiler: .*dram__bytes.sum' collected.csv || reason 'what is left out is not said'
    grep -q '; commit: abc$' collected.csv || reason 'no commit')
point 'a run under the profiler' "$why"

# Machine code: a loop of three in which one of two is a load, behind a prologue; what stands behind the end is not looked at.
cat >code.txt <<'TXT'
		Function : _Z7reduce3PKiPi
        /*0000*/                   LDC R1, c[0x0][0x28] ;       /* 0x0 */
        /*0010*/                   LDS R2, [R1] ;               /* 0x0 */
        /*0020*/                   IADD3 R2, R2, R2, RZ ;       /* 0x0 */
        /*0030*/                   LDS R4, [R2] ;               /* 0x0 */
        /*0040*/              @!P1 BRA 0x10 ;                   /* 0x0 */
        /*0050*/               @P0 EXIT ;                       /* 0x0 */
        /*0060*/                   EXIT ;                       /* 0x0 */
        /*0070*/                   BAR.SYNC 0x0 ;               /* 0x0 */
        /*0080*/                   BRA 0x0 ;                    /* 0x0 */
TXT
code=0
MIX_OF=here G80SIM=$G80SIM "$ROOT/validate/mix" code.txt >out 2>err || code=$?
why=$(want_exit 0; want_lines out 3; want_match out '^# machine code of here;'
    want_match out '^reduce3PKiPi,reduction-3-2m,loop,4,arith 25 shared-ld 50 branch 25,arith .*,')
point 'the mix of a loop' "$why"

# The harness where it needs no GPU, by any C++ compiler.
if command -v c++ >/dev/null; then
    why=$(c++ -std=c++17 -I"$ROOT/validate" -o harness-check "$ROOT/tests/cli/harness-check.cc" \
        -x c++ "$ROOT/validate/harness/timing.cu" "$ROOT/validate/harness/processes.cu" 2>&1 && ./harness-check 2>/dev/null) ||
        why="$why it fails"
    point 'values of runs in several processes' "$why"
else
    echo "ok $((points += 1)) - values of runs in several processes # SKIP no C++ compiler"
fi

if [ -z "${MEASURE:-}" ]; then
    echo "ok $((points += 1)) - measure # SKIP no nvcc"
    finish
    exit 0
fi

measure()
{
    code=0
    "$MEASURE" "$@" >out 2>err </dev/null || code=$?
}

refused()
{
    measure "$@"
    want_exit 2
    [ "$(wc -l <err)" -eq 1 ] || reason "want one line, there are $(wc -l <err)"
    [ ! -s out ] || reason 'there is output'
}

measure --list
sed 1d out | sort >listed
sort rows | diff - listed >differences || :
point 'measure has the rows of its sources' "$(want_exit 0)$(sed 's/^/differs: /' differences)"

why=
for bad in '--runs 9' '--processes 0' '--runs x' '--runs' '--wrong' '--within -1' '--only nothing' '--diff one' 'word'; do
    # shellcheck disable=SC2086 # words
    got=$(refused $bad)
    why=$why${got:+"$bad: $got "}
done
point 'mistakes are one line' "$why"

printf '# head\nid,workload,value\na,vecadd,100\nb,vecadd,200\n' >old.csv
printf 'id,workload,value\na,vecadd,102\nb,vecadd,198\nc,vecadd,1\n' >near.csv
printf 'id,workload,value\na,vecadd,104\nb,vecadd,198\n' >far.csv
measure --diff old.csv near.csv
point 'two files that agree' "$(want_exit 0)$(grep -q '^2 rows in both: 0 differ by more than 3 %' out || reason 'no sum')"
measure --diff old.csv far.csv
point 'two that do not' "$(want_exit 1)$(grep -q '^a  *100 before, *104 now: +4.0 %' out || reason 'no row')"
measure --diff old.csv near.csv --within 1.5
point 'a limit of our own' "$(want_exit 1)"
measure --diff old.csv nowhere.csv
point 'a file that is not there' "$(want_exit 2)"

printf 'id,workload,value\na,vecadd,1\na,vecadd,2\n' >twice.csv
printf 'id,value,note\na,1,"cut\n' >cut.csv
why=
for bad in twice.csv cut.csv; do
    got=$(refused --diff old.csv $bad)
    why=$why${got:+"$bad: $got "}
done
point 'rows that come twice or are cut off' "$why"

CUDA_VISIBLE_DEVICES='' measure --output none.csv
why=$([ ! -e none.csv ] || reason 'a file is left')
point 'without a GPU it says so and skips' "$(want_exit 77)$why"

finish
