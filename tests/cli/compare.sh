#!/bin/sh
# compare: predicted against measured.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=compare-lib.sh
. "$ROOT/tests/cli/compare-lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# want_row ROW FILTER VALUE: of result.json
want_row()
{
    want_json result.json ".rows[] | select(.row == \"$1\") | $2" "$3"
}

# want_near ROW MEMBER VALUE: to nine digits
want_near()
{
    want_json result.json "(.rows[] | select(.row == \"$1\") | .$2) as \$x | (\$x - $3 | fabs) <= 1e-8 * $3" true
}

# ---- metrics: one run of 1 warp takes 100 + 900 = 1000 ns, one of 8 takes 268 + 900 = 1168 ns ----

cat >metrics.csv <<'CSV'
id,workload,params,metric,value,unit
cycles,six,W=1,cycles,80,
shader,six,W=8,cycles,268,shader cycles
us,six,W=1,time,1.25,us
ms,six,W=1,time,0.001,
ns,six,W=1,time,1000,ns
s,six,W=1,time,1e-6,s
both,two,W=1,time,2,us
gbs,six,W=1,gbs,0.5,GB/s
gbs-of-two,two,W=1,gbs,0.5,
gflops,six,W=1,gflops,0.384,GFLOP/s
faster,six,W=1,speedup:shader,1.168,x
same,moves,W=8,speedup:six,1,
ratio,six,W=1,ratio,1,x over moves
ratio-row,six,W=1,ratio,1.168,x over row shader
CSV
compare metrics.csv --json result.json
point 'metrics' "$(
    want_exit 0
    want_empty err
    want_row cycles .predicted 100
    want_row cycles .error_percent 25
    want_row shader .predicted 268
    want_row us .predicted 1
    want_row us .error_percent -20
    want_row ms .predicted 0.001
    want_row ms .unit '"ms"'
    want_row ns .predicted 1000
    want_row s .predicted 0.000001
    want_row both .predicted 2       # two kernels of 100 cycles, two launches
    want_row gbs .predicted 0.5      # 500 bytes in 1000 ns
    want_row gbs-of-two .predicted 0.5 # the kernel that states none does not count
    want_row gflops .predicted 0.384 # 6 multiply-adds of 32 lanes, 384 operations
    want_row faster .predicted 1.168
    want_row same .predicted 1
    want_row ratio .predicted 1
    want_row ratio-row .predicted 1.168
    want_json result.json .simulations 5 # six with 1 and 8 warps, two, moves with 1 and 8
    want_match out '^cycles +six W=1 +cycles +80 +100 +cycles +\+25\.0 %$'
    want_match out '^ratio-row +six W=1 +ratio +1\.168 +1\.168 +x over row shader +'
)"
run mini.ini two.trace --json run.json --quiet
compare metrics.csv --json result.json
point 'the time is that of run, with its launches' "$(want_near both predicted "$(json run.json '(.total.time_us + .total.launch_us)')")"
compare metrics.csv -s launch.overhead_us=0 --json result.json
point '-s changes the machine' "$(want_exit 0; want_near us predicted 0.1; want_json result.json '.config.overrides' '["launch.overhead_us=0"]')"

# ---- figures ----

# Errors +25, -20 and 0 %. All: MAPE 45/3 = 15, median 20. primary: two points that both grow, so both correlations are 1.
cat >figures.csv <<'CSV'
# of three runs
id,workload,params,metric,value,confidence

a,six,W=1,cycles,80,primary
b,six,W=2,cycles,155,primary
c,six,W=8,cycles,268,plot
CSV
compare figures.csv --json result.json
figure()
{
    want_json result.json "[.figures[] | select(.name == \"$1\") | (.rows, (.mape_percent * 1e6 | round / 1e6), .median_percent, .worst_row, .worst_percent, .pearson, .spearman)]" "$2"
}
point 'figures of each class and of all' "$(
    want_exit 0
    figure primary '[2, 22.5, 22.5, "a", 25, 1, 1]'
    figure plot '[1, 0, 0, "c", 0, null, null]'
    want_json result.json '.figures[-1] | [.of, .name, .rows, .mape_percent, .median_percent, .worst_row, .spearman]' '["all", "all", 3, 15, 20, "a", 1]'
    want_match out '^primary +2 +22\.5 % +22\.5 % +a +\+25\.0 % +1\.000 +1\.000$'
    want_match out '^plot +1 +0\.0 % +0\.0 % +c +\+0\.0 % +- +-$'
    want_match out '^all +3 +15\.0 % +20\.0 % +a +\+25\.0 % '
)"

# Times of several units are correlated as times: 1168 ns and 1000 ns, measured so, in the one order or the other.
printf 'workload,params,metric,value,unit\nsix,W=8,time,1.168,us\nsix,W=1,time,1000,ns\n' >units.csv
compare units.csv --json result.json
point 'times of two units' "$(want_exit 0; want_json result.json '.figures[-1] | (.pearson, .spearman) == 1' true)"

# ---- the closed form: six instructions of 4 cycles without memory, and the worked example of sources D9, on 16 SMs of 1 GHz ----

cat >closed.csv <<'CSV'
id,workload,params,metric,value,unit
six,six,W=2,model-cycles,40,cycles
both,two,W=1,model-cycles,48,
example,mwp-cwp-example,,model-cycles,50728,
simulated,six,W=1,cycles,100,
CSV
compare closed.csv --json result.json -j 2
point 'model-cycles' "$(
    want_exit 0
    want_empty err
    want_row six .predicted 48            # 6 * 4 of 2 warps
    want_row six .error_percent 20
    want_row both .predicted 48           # 24 of each launch
    want_row example .predicted 50728.1875
    want_row simulated .predicted 100
    want_json result.json .simulations 1  # the closed form needs none
    want_match out '^example +mwp-cwp-example +model-cycles +50,728 +50,728 +cycles +\+0\.0 %$'
)"
sed '/^simulated/d' closed.csv >alone.csv
compare alone.csv --json result.json
point 'model-cycles alone: nothing is simulated' "$(want_exit 0; want_json result.json .simulations 0; want_row example .predicted 50728.1875)"
printf 'id,workload,params,metric,value\nform,six,W=1,model-cycles,24\nwhole,six,W=1,cycles,100\n' >same.csv
compare same.csv --json result.json
point 'model-cycles and cycles of the same run' "$(want_exit 0; want_json result.json '[.rows[].predicted]' '[24, 100]'; want_json result.json .simulations 1)"
compare closed.csv -s mwp-cwp.departure_uncoalesced=0 --json result.json
point 'model-cycles: -s changes its numbers' "$(want_exit 0; want_json result.json '.rows[2].predicted < 50000' true)"

# ---- tolerances ----

compare figures.csv --tolerance 25
point '--tolerance: an error that is as large' "$(want_exit 0)"
compare figures.csv --tolerance 24.9 --json result.json --csv result.csv
point '--tolerance: one that is larger' "$(
    want_exit 1
    want_empty err
    want_match out '^a .* \+25\.0 %  > 24\.9 %$'
    want_match out '^b .* -20\.0 %$'
    want_match out '^Out of tolerance: 1 row\.$'
    want_row a .status '"beyond"'
    want_row b .status '"counted"'
    want_json result.json '[.within_tolerance, .counts.counted, .counts.beyond]' '[false, 2, 1]'
    want_match result.csv '^figures\.csv,mini\.ini,,a,4,,,six,W=1,cycles,cycles,80,100,25,24\.9,primary,beyond$'
    want_lines result.csv 4
)"
compare figures.csv --max-mape 15
point '--max-mape: as large' "$(want_exit 0)"
compare figures.csv --max-mape 14.9
point '--max-mape: larger' "$(want_exit 1; want_match out '^Out of tolerance: MAPE 15\.0 %, more than 14\.9 %\.$')"
compare figures.csv --max-mape 14.9 --quiet
point '--quiet: the exit status alone' "$(want_exit 1; want_empty out; want_empty err)"
sed -e '2s/$/,tolerance/' -e '4s/$/,30/' -e '5s/$/,/' -e '6s/$/,/' figures.csv >own.csv
compare own.csv --tolerance 20
point "a row's own tolerance goes before --tolerance" "$(want_exit 0)"
sed 's/,30$/,24/' own.csv >stricter.csv
compare stricter.csv
point "a row's own tolerance without --tolerance" "$(want_exit 1; want_match out '^a .*> 24 %$')"

# ---- rows that do not count ----

cat >mixed.csv <<'CSV'
id,config,workload,params,metric,value,gap,note,explain
mine,mini,six,W=1,cycles,100,,,
any,,six,W=2,cycles,124,,,
other,gt200,no-such-trace,W=1,cycles,100,,,
model,gt200,none,,model-cycles,100,,,
gap,mini,six,W=8,cycles,134,known,,"no | in ""this"" model"
noted,mini,six,W=8,cycles,134,,measured twice; known gap: see elsewhere,
CSV
compare mixed.csv --tolerance 0 --max-mape 0 --json result.json --markdown result.md
point 'rows of other configurations, known gaps' "$(
    want_exit 0
    want_json result.json '[.rows[].status]' '["counted", "counted", "other", "other", "gap", "gap"]'
    want_row other .predicted null
    want_row gap .error_percent 100 # 268 for 134
    want_json result.json '.figures[-1] | [.rows, .mape_percent]' '[2, 0]'
    want_json result.json '.counts' '{"counted": 2, "beyond": 0, "gap": 2, "other": 2, "aside": 0}'
    want_match out '^other +no-such-trace W=1 +cycles +100 +- +cycles +-  of gt200$'
    want_match out '^gap .* \+100\.0 %  known gap$'
    want_match out '^2 known gaps: shown, not counted\.$'
    want_match out '^2 rows of another configuration than mini: not simulated\.$'
)"
point 'Markdown: tables, and what the model lacks' "$(
    want_match result.md '^\| row \| workload \| metric \| measured \| predicted \| unit \| error \|  \|$'
    want_match result.md '^\| mine \| six W=1 \| cycles \| 100 \| 100 \| cycles \| \+0\.0 % \|  \|$'
    want_match result.md '^Rows that are more than 10 % off:$'
    want_match result.md '^\| gap \| six W=8 \| \+100\.0 % \| no \\\| in "this" model \|$'
    want_match result.md '^\| noted \| six W=8 \| \+100\.0 % \| not explained \|$'
    [ "$(grep -c '^| mine ' result.md)" -eq 1 ] || reason 'want the row that agrees in one table'
)"
compare figures.csv --markdown -
point '--markdown -: in place of the report' "$(want_exit 0; want_match out '^.figures\.csv. with .mini\.ini.$'; want_match out '^\| a \| six W=1 \| \+25\.0 % \| not explained \|$')"

# Values at the ends of what is taken: the errors are numbers. Two rows may each be over the other.
printf 'id,workload,params,metric,value\na,six,W=2,speedup:b,1e-30\nb,six,W=1,speedup:a,1e30\n' >ends.csv
compare ends.csv --json result.json --tolerance 1e30
point 'the smallest value and the largest' "$(
    want_exit 1
    want_near a predicted 0.9765625 # 1000 ns / 1024 ns
    want_near a error_percent 97656250000000000000000000000000
    want_row b .error_percent -100
    want_match out '^a .* \+9\.77e\+31 %  > 1e\+30 %$'
)"

# ---- classes that count, and the order of families ----

# Errors +25, -20 and 0 %, as above; of `plot` alone 0.
compare figures.csv --confidence plot --tolerance 1 --max-mape 1 --json result.json
point '--confidence: the other rows are shown, not counted' "$(
    want_exit 0
    want_match out '^a .* \+25\.0 %  not counted$'
    want_match out '^2 rows of other classes of confidence: shown, not counted\.$'
    want_json result.json '[.rows[].status]' '["aside", "aside", "counted"]'
    want_json result.json '[.figures[] | .name]' '["plot", "cycles", "all"]'
    want_json result.json '.counts' '{"counted": 1, "beyond": 0, "gap": 0, "other": 0, "aside": 2}'
)"
compare figures.csv --confidence plot,primary --max-mape 14.9
point '--confidence: several' "$(want_exit 1; want_match out '^Out of tolerance: MAPE 15\.0 %')"
compare figures.csv --confidence plot,primry
point '--confidence: a class that no row has' "$(want_exit 2; want_empty out; want_lines err 1; want_match err '^--confidence: no row is of the class primry$')"

# Predicted 100, 124 and 268. x and y differ by just 15 % of the larger, which says nothing; z is far from both, in the family of another
# metric, or a known gap.
cat >family.csv <<'CSV'
id,workload,params,metric,value,unit,family,gap,confidence
x,six,W=2,cycles,85,,f,,p
y,six,W=1,cycles,100,,f,,p
z,six,W=8,cycles,70,,f,,q
other,six,W=8,cycles,10,,g,,p
none,six,W=8,cycles,1,,,,p
time,six,W=8,time,1,ns,f,,p
gap,six,W=8,cycles,1,,f,known,p
CSV
compare family.csv --json result.json
point 'order: pairs of a family that are far enough apart' "$(
    want_exit 0
    want_json result.json .order '{"pairs": 2, "out_of_order": 2, "broken": [["x", "z"], ["y", "z"]]}'
    want_match out '^Order: 0 of 2 pairs of a family that differ by more than 15 % agree; not x and z, y and z\.$'
)"
compare family.csv --order --confidence p
point '--order: rows that do not count take part' "$(want_exit 1; want_match out '^Out of order: 2 pairs\.$')"
sed 's/^z\(.*\),70,/z\1,130,/' family.csv >good.csv
compare good.csv --order --json result.json
point '--order: all as measured' "$(want_exit 0; want_json result.json .order '{"pairs": 2, "out_of_order": 0, "broken": []}'; want_match out '^Order: 2 of 2 pairs .* agree\.$')"
sed 's/^x\(.*\),85,/x\1,84.9,/' good.csv >near.csv
compare near.csv --order --json result.json
point 'order: more than 15 % of the larger' "$(want_exit 1; want_json result.json .order '{"pairs": 3, "out_of_order": 1, "broken": [["x", "y"]]}')"
# The same run for two rows that were measured apart is in no order; times are compared in one unit.
printf 'id,workload,params,metric,value,unit,family\na,six,W=1,time,1,us,f\nb,six,W=1,time,2,us,f\nc,six,W=8,time,3000,ns,f\n' >equal.csv
compare equal.csv --order --json result.json
point 'order: equal predictions, and several units' "$(want_exit 1; want_json result.json .order '{"pairs": 3, "out_of_order": 1, "broken": [["a", "b"]]}')"
# grouped FILTER: a number of all.json with its thousands apart
grouped()
{
    json all.json "$1" | sed -E 's/([0-9])([0-9]{3})$/\1,\2/'
}
# Pairs taken one by one: of two families, with predictions, 76 + 24*W, that are often equal, and from a row on up to 40 % from what was measured.
for from in 0 215; do
    awk -v from="$from" 'BEGIN {
        print "id,workload,params,metric,value,family"
        for (i = 0; i < 240; i++) { seed = (seed * 137 + 29) % 8191; printf "r%d,six,W=%d,cycles,%d,f%d\n", i, 1 + seed % 16, int((76 + 24 * (1 + seed % 16)) * (i < from ? 100 : 60 + int(seed / 16) % 80) / 100), (i % 7 > 4) }
    }' >all.csv
    awk -F , 'NR > 1 {
        n++; id[n] = $1; split($3, param, "="); predicted[n] = 76 + 24 * param[2]; measured[n] = $5; family[n] = $6
    } END {
        for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) {
            larger = measured[i] > measured[j] ? measured[i] : measured[j]; apart = measured[i] - measured[j]
            if (family[i] != family[j] || (apart < 0 ? -apart : apart) * 100 <= larger * 15) continue
            pairs++
            if (apart * (predicted[i] - predicted[j]) > 0) continue
            if (broken++ < 20) listed = listed (listed ? ", " : "") "[\"" id[i] "\", \"" id[j] "\"]"
        }
        printf "{\"pairs\": %d, \"out_of_order\": %d, \"broken\": [%s]}\n", pairs, broken, listed
    }' all.csv >all.json
    compare all.csv --json result.json --markdown result.md
    point "order: all pairs are counted, twenty are listed, $from" "$(
        want_exit 0
        want_json all.json '.pairs > 5000 and .out_of_order > 100' true
        want_json result.json .order "$(cat all.json)"
        for file in out result.md; do
            want_match "$file" "^Order: [0-9,]+ of [0-9,]+ pairs .* agree; not r[0-9]+ and r[0-9]+(, r[0-9]+ and r[0-9]+){19}, and $(grouped ".out_of_order - 20") more\.$"
        done
    )"
    compare all.csv --order
    point "--order: the verdict counts all, $from" "$(want_exit 1; want_match out "^Out of order: $(grouped .out_of_order) pairs\.$")"
done
# Twenty thousand rows of a family, 10 to 20009: above one of value v are those beyond v/0.85, 169,971,001 pairs, and all have one prediction.
awk 'BEGIN { print "id,workload,params,metric,value,family"; for (i = 0; i < 20000; i++) print "r" i ",six,W=1,cycles," 10 + i ",f" }' >large.csv
compare large.csv --quiet --json result.json
point 'order: a large family' "$(want_exit 0; want_json result.json '.order | [.pairs, .out_of_order, (.broken | length)]' '[169971001, 169971001, 20]')"
# A label is shown in one line, and as it is in a document.
printf 'id,workload,params,metric,value,family\n"a\nb|c",six,,cycles,1,f\n"<d>\033",six,,cycles,2,f\n' >labels.csv
compare labels.csv --markdown result.md
point 'order: labels with characters that mean something' "$(want_match out 'not a b\|c and <d> \.$'; want_match result.md 'not a b\\\|c and \\<d> \.$')"
compare figures.csv --order
point '--order without families' "$(want_exit 0; ! grep -q '^Order' out || reason 'want no line about the order')"
compare metrics.csv --json result.json
point 'a ratio counts in its figures as it is' "$(want_json result.json '.figures[] | select(.name == "speedup") | [.rows, .mape_percent]' '[4, 0]')"

# ---- reduced parameters ----

printf 'workload,params,metric,value,reduced\nsix,W=8,cycles,268,W=1\nsix,W=2,cycles,124,\n' >reduced.csv
compare reduced.csv --json result.json
point 'without --reduced' "$(want_exit 0; want_json result.json '[.rows[].predicted]' '[268, 124]')"
compare reduced.csv --reduced --json result.json
point '--reduced' "$(want_exit 0; want_json result.json '[.rows[] | .params, .predicted]' '["W=1", 100, "W=2", 124]'; want_json result.json .reduced true)"
printf 'workload,params,metric,value,reduced\nsix,W=8,cycles,268,-\nsix,W=2,cycles,124,\n' >reduced.csv
compare reduced.csv --json result.json
point 'a row that --reduced leaves out, without it' "$(want_exit 0; want_json result.json '[.rows[].predicted]' '[268, 124]')"
compare reduced.csv --reduced
point 'a row that --reduced leaves out' "$(want_exit 0; want_match out '^1 row left out by --reduced\.$'; want_match out '1 row')"

# ---- where traces are found ----

mkdir -p data/workloads data/configs first second
printf 'workload,params,metric,value\nsix,,cycles,1\n' >second/rows.csv
# place FOLDER W [NAME]: a trace of 76 + 24*W cycles
place()
{
    sed "s/^param W = 1/param W = $2/" six.trace >"$1/${3-six.trace}"
}
found()
{
    G80SIM_DATADIR=data
    export G80SIM_DATADIR
    run compare mini.ini second/rows.csv "$@" --json result.json
    unset G80SIM_DATADIR
}
found
point 'a trace that is nowhere: every folder is named' "$(want_exit 2; want_lines err 1; want_match err '^second/rows\.csv:2: workload = six: no such trace: want a file six or six\.trace in second, data/workloads$')"
place data/workloads 1
found
point 'last among the shipped ones' "$(want_exit 0; want_json result.json '.rows[0].predicted' 100)"
place second 2
found
point "before them in the file's folder" "$(want_exit 0; want_json result.json '.rows[0].predicted' 124)"
place first 3
found -w first -w .
point 'before that in those of -w, in their order' "$(want_exit 0; want_json result.json '.rows[0].predicted' 148)"
place first 4 six
found -w first
point 'NAME before NAME.trace' "$(want_exit 0; want_json result.json '.rows[0].predicted' 172)"
printf 'workload,params,metric,value\n%s/first/six.trace,,cycles,1\n' "$PWD" >absolute.csv
compare absolute.csv --json result.json
point 'a path of its own' "$(want_exit 0; want_json result.json '.rows[0].predicted' 148)"
run compare mini.ini - -w first --json result.json
point 'an empty standard input' "$(want_exit 2; want_lines err 1; want_match err '^-: empty: want a header and rows$')"
code=0
"$G80SIM" compare mini.ini - --json result.json <metrics.csv >out 2>err || code=$?
point 'rows from standard input: traces of this folder' "$(want_exit 0; want_row cycles .predicted 100)"

# ---- what a file may look like ----

printf '\357\273\277# a comment, with "quotes\r\n\r\nvalue , "metric",params,workload,note\r\n100,cycles,"W=1;",six,"two\r\nlines, ""quoted"""\r\n124,cycles, W=2 ,six,\r\n' >dos.csv
compare dos.csv --json result.json
point 'BOM, CRLF, comments, quotes, columns in another order' "$(want_exit 0; want_json result.json '[.rows[] | .predicted, .line]' '[100, 4, 124, 6]'; want_json result.json '.rows[0].note' '"two\r\nlines, \"quoted\""'; want_json result.json '.rows[1].row' '"line 6"')"

# ---- host threads ----

cat >threads.csv <<'CSV'
id,workload,params,metric,value,confidence
a,vecadd,N=20000,gbs,20,primary
b,copy-offset,N=20480 offset=1,gbs,7,plot
c,copy-offset,N=20480 offset=0,time,8,plot
d,matmul,N=64,gflops,10,primary
e,transpose-naive,N=256,speedup:a,0.2,plot
f,reduction-1,N=16384,cycles,30000,
g,vecadd,N=20000,cycles,10000,
CSV
for jobs in 1 2 5; do
    run compare "$CONFIG" threads.csv -j "$jobs" --json "$jobs.json" --csv "$jobs.csv" --markdown "$jobs.md"
    cp out "$jobs.out"
    point "-j $jobs" "$(want_exit 0; want_empty err; want_json "$jobs.json" .simulations 6)"
done
point 'the same bytes for any number of threads' "$(
    for jobs in 2 5; do
        for kind in json csv md out; do cmp "1.$kind" "$jobs.$kind" 2>&1 || :; done
    done
)"
run compare "$CONFIG" threads.csv --csv 1.csv --quiet
point '--csv appends' "$(want_exit 0; want_empty out; want_lines 1.csv 15; [ "$(grep -c '^file,machine,' 1.csv)" -eq 1 ] || reason 'want one header')"

# ---- the image ----

if command -v gnuplot >/dev/null; then
    # shellcheck disable=SC2016 # names that a shell and gnuplot would make something of
    printf 'id,workload,params,metric,value,gap\n"`touch pwned`",six,W=1,cycles,80,\n"$(touch pwned)""; system(""touch pwned"")",six,W=2,cycles,130,\n<a&b>,six,W=8,cycles,260,\nlast,six,W=8,cycles,400,known\n' >image.csv
    compare image.csv --plot image.svg --quiet
    point '--plot' "$(want_exit 0; want_empty out; want_empty err; want_match image.svg '<svg'; want_match image.svg '</svg>'; want_match image.svg '&lt;a&amp;b'; want_match image.svg '>last<'; want_match image.svg 'within 25 %'; want_match image.svg 'known gaps')"
    point 'a label is no command' "$(want_absent pwned; want_match image.svg 'touch pwned')"
    compare figures.csv --plot - --tolerance 1
    point '--plot -, with rows out of tolerance' "$(want_exit 1; want_match out '</svg>')"
    compare figures.csv --plot no/such/folder.svg
    point 'an image that cannot be written' "$(want_exit 2; want_empty out; want_lines err 1; want_match err 'no/such/folder\.svg: No such file')"
    mkdir bin
    printf '#!/bin/sh\ncat >/dev/null\necho "no such terminal" >&2\nexit 1\n' >bin/gnuplot
    chmod +x bin/gnuplot
    code=0
    PATH=$PWD/bin:$PATH "$G80SIM" compare mini.ini figures.csv --plot new.svg --json new.json >out 2>err || code=$?
    point 'a gnuplot that fails: nothing is written' "$(want_exit 2; want_empty out; want_lines err 1; want_match err '^--plot: gnuplot: no such terminal$'; want_absent new.svg; want_absent new.json)"
fi
# More commands than a pipe holds, 64 KB, so that one would break.
mkdir -p early
awk 'BEGIN { print "id,workload,params,metric,value"; for (i = 0; i < 5000; i++) print "row" i ",six,W=1,cycles,80" }' >many.csv
for status in 0 3; do
    printf '#!/bin/sh\nexit %s\n' "$status" >early/gnuplot
    chmod +x early/gnuplot
    code=0
    PATH=$PWD/early:$PATH "$G80SIM" compare mini.ini many.csv --plot new.svg >out 2>err || code=$?
    point "a gnuplot that ends at once with $status" "$(want_exit 2; want_empty out; want_lines err 1; want_match err '^--plot: gnuplot: drew nothing$'; want_absent new.svg)"
done
code=0
PATH=/nonexistent "$G80SIM" compare mini.ini figures.csv --plot new.svg >out 2>err || code=$?
point 'no gnuplot: told at once' "$(want_exit 2; want_empty out; want_lines err 1; want_match err '^--plot: gnuplot: not found: want it installed'; want_absent new.svg)"

run compare --help
point 'help' "$(want_exit 0; want_match out 'speedup:REF'; want_match out '--max-mape')"
point 'no temporary file is left' "$(find . -name '.*.??????')"

finish
