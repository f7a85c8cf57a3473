#!/bin/sh
# What can be wrong with a comparison: the rows, the traces, the command line. One line each, with the place.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=compare-lib.sh
. "$ROOT/tests/cli/compare-lib.sh"

# ---- the rows ----

# refused_rows NAME REGEX [ARGUMENT...]: a file of the rows on stdin is refused with exactly this line
refused_rows()
{
    cat >bad.csv
    name=$1
    regex=$2
    shift 2
    rm -f result.json
    compare bad.csv --json result.json "$@"
    point "$name" "$(want_exit 2; want_empty out; want_lines err 1; want_match err "^bad\.csv:$regex"; want_absent result.json)"
}
HEAD=id,workload,params,metric,value,unit,tolerance

refused_rows 'an unknown column' '1: column 2 = parms: no such column: did you mean params\?$' <<CSV
workload,parms,metric,value,params
six,,cycles,1,
CSV
refused_rows 'a column that is like none' '1: column 5 = temperature: no such column: want ' <<CSV
workload,params,metric,value,temperature
six,,cycles,1,
CSV
refused_rows 'a column twice' '1: column 5 = value: column 4 has this name too: want one$' <<CSV
workload,params,metric,value,value
six,,cycles,1,1
CSV
refused_rows 'a column that is not there' '1: header: want a column metric$' <<CSV
workload,params,value
six,,1
CSV
refused_rows 'a field too few' '2: 3 fields: want 4, as many as the header has$' <<CSV
workload,params,metric,value
six,,cycles
CSV
refused_rows 'a field too many' '3: 5 fields: want 4' <<CSV
workload,params,metric,value
six,,cycles,100
six,,cycles,100,
CSV
refused_rows 'a quote that is not closed' '2: field 1: begins with a quote that nothing closes' <<CSV
workload,params,metric,value
"six,,cycles,1
six,,cycles,1
CSV
# Those beyond 1e30, and the small ones, have no error in percent that is a number.
for value in '' 12x 0 0e9 -0 -1 nan -nan inf infinity 1e999 1e400 -1e400 1e-400 1e308 1e-308 1e-320 4.9e-324 1e31 9e-31 0x10 0x1p-1074 1e '1 2' '"1,5"'; do
    refused_rows "a value: $value" '2: value = .*: want a number from 1e-30 to 1e30, such as 46\.49$' <<CSV
$HEAD
a,six,,cycles,$value,,
CSV
done
for tolerance in x -1 '10 %' nan inf 1e400 1e31 0x10; do
    refused_rows "a tolerance: $tolerance" '2: tolerance = .*: want percent, a number from 0 to 1e30$' <<CSV
$HEAD
a,six,,cycles,1,,$tolerance
CSV
done
refused_rows 'an unknown metric' '2: metric = cycels: want cycles, time, .*: did you mean cycles\?$' <<CSV
$HEAD
a,six,,cycels,1,,
CSV
refused_rows 'no metric' '2: metric = : want cycles, time, gbs, gflops, speedup:ID, ratio or model-cycles$' <<CSV
$HEAD
a,six,,,1,,
CSV
refused_rows 'a unit of another metric' '2: unit = GB/s: want a unit of time: ms, s, us, ns$' <<CSV
$HEAD
a,six,,time,1,GB/s,
CSV
refused_rows 'a speedup over nothing' '2: metric = speedup:: want speedup:ID' <<CSV
$HEAD
a,six,,speedup:,1,,
CSV
refused_rows 'a ratio without its other half' '2: unit = x: want for the metric ratio' <<CSV
$HEAD
a,six,,ratio,1,x,
CSV
refused_rows 'a speedup over an unknown row' '3: metric = speedup:slwo: no row has the id slwo, and there is no such trace: did you mean slow\?$' <<CSV
$HEAD
slow,six,,cycles,1,,
b,six,,speedup:slwo,1,,
CSV
refused_rows 'a ratio to a row, where there is only a trace' '2: unit = x over row moves: no row has the id moves$' <<CSV
$HEAD
a,six,,ratio,1,x over row moves,
CSV
refused_rows 'a speedup over a row of another machine' '3: metric = speedup:other: line 2 is a row of gt200: want one of mini$' <<CSV
config,$HEAD
gt200,other,six,,cycles,1,,
mini,b,six,,speedup:other,1,,
CSV
refused_rows 'a speedup over the row itself' '2: metric = speedup:a: this row itself: want another$' <<CSV
$HEAD
a,six,,speedup:a,1,,
CSV
refused_rows 'a ratio to the row itself' '2: unit = x over row a: this row itself: want another$' <<CSV
$HEAD
a,six,,ratio,1,x over row a,
CSV
refused_rows 'a speedup over a row of the same run' "3: metric = speedup:a: the same run as this row's, which makes 1 always: want another$" <<CSV
$HEAD
a,six,,cycles,1,,
b,six,W=1,speedup:a,1,,
CSV
refused_rows 'a speedup over the same workload' "2: metric = speedup:six: the same run as this row's, " <<CSV
$HEAD
a,six,W=2,speedup:six,1,,
CSV
refused_rows 'a speedup over a row that --reduced leaves out' '3: metric = speedup:b: line 2 is left out by --reduced: want a row that is not$' --reduced <<CSV
reduced,$HEAD
-,b,six,W=2,cycles,1,,
,a,six,,speedup:b,1,,
CSV
refused_rows 'that row before a trace of its name' '2: unit = x over moves: line 3 is left out by --reduced: want a row that is not$' --reduced <<CSV
reduced,$HEAD
,a,six,,ratio,1,x over moves,
-,moves,six,W=2,cycles,1,,
CSV
refused_rows 'an id twice, once in a row that --reduced leaves out' '3: id = a: line 2 has it too: want another$' --reduced <<CSV
reduced,$HEAD
-,a,six,,cycles,1,,
,a,six,W=2,cycles,1,,
CSV
refused_rows 'a speedup over a row that is wrong itself: told once' '2: workload = sixx: no such trace' <<CSV
$HEAD
a,sixx,,cycles,1,,
b,six,,speedup:a,1,,
CSV
refused_rows 'a workload that is not there' '2: workload = sixx: no such trace: want a file sixx or sixx\.trace in \., ' <<CSV
$HEAD
a,sixx,,cycles,1,,
CSV
refused_rows 'no workload' '2: workload = : want the name of a trace$' <<CSV
$HEAD
a,,,cycles,1,,
CSV
refused_rows 'an id twice' '3: id = a: line 2 has it too: want another$' <<CSV
$HEAD
a,six,,cycles,1,,
a,six,W=2,cycles,1,,
CSV
refused_rows 'an unknown parameter' '2: params = V=2: no such parameter in \./six\.trace' <<CSV
$HEAD
a,six,V=2,cycles,1,,
CSV
refused_rows 'a parameter without a value' '2: params = W: want NAME=VALUE$' <<CSV
$HEAD
a,six,W,cycles,1,,
CSV
for value in '' abc 1e3 1.5 99999999999999999999 1/0 ntid W 'a:b' '(1' '((('; do
    refused_rows "a parameter: W=$value" '2: params = W=.*: want for W an integer below 2\^63, such as 4096 or 64\*64$' <<CSV
$HEAD
a,six,W=$value,cycles,1,,
CSV
done
refused_rows 'of several parameters the one that is wrong' '2: params = W=1 V=2: V: no such parameter in \./six\.trace: want one of W$' <<CSV
$HEAD
a,six,W=1 V=2,cycles,1,,
CSV
refused_rows 'a parameter twice' '2: params = W=1 W=2: W=2: given twice$' <<CSV
$HEAD
a,six,W=1 W=2,cycles,1,,
CSV
refused_rows 'an unknown reduced parameter' '2: reduced = V=1: no such parameter' --reduced <<CSV
workload,params,metric,value,reduced
six,W=1,cycles,1,V=1
CSV
refused_rows 'a speedup over the closed form' '3: metric = speedup:form: line 2 is not simulated: want a row that is$' <<CSV
$HEAD
form,six,,model-cycles,24,,
b,six,,speedup:form,1,,
CSV
refused_rows 'the closed form in another unit' '2: unit = us: want a unit of model-cycles: cycles$' <<CSV
$HEAD
a,six,,model-cycles,24,us,
CSV
refused_rows 'a bandwidth of a trace without useful' '2: metric = gbs: moves: want a kernel with .useful. bytes$' <<CSV
$HEAD
a,moves,,gbs,1,,
CSV
refused_rows 'operations of a trace without any' '2: metric = gflops: moves: want floating-point operations$' <<CSV
$HEAD
a,moves,,gflops,1,,
CSV
refused_rows 'a header alone' ' no rows: want at least one$' <<CSV
$HEAD
CSV
refused_rows 'no row of this machine' ' no row to compare with mini: of 1, 1 are of other configurations, 0 are known gaps and 0 are of classes that do not count: want one besides$' <<CSV
config,$HEAD
gt200,a,six,,cycles,1,,
CSV
refused_rows 'known gaps alone' ' no row to compare with mini: of 2, 1 are of other configurations, 1 are known gaps and 0 are of classes that do not count: want one besides$' <<CSV
config,gap,$HEAD
gt200,,a,six,,cycles,1,,
mini,known,b,six,,cycles,1,,
CSV
refused_rows 'known gaps, and rows of other classes' ' no row to compare with mini: of 2, 0 are of other configurations, 1 are known gaps and 1 are of classes that do not count: ' --confidence p <<CSV
workload,params,metric,value,gap,confidence
six,,cycles,1,known,p
six,,cycles,1,,q
CSV
# Of a long file and a long cell the limit is told.
long=$(printf '%01001d' 0)
for column in 1 2 3 4 6 8 9 10; do
    echo "$HEAD,config,confidence,reduced
a,six,W=1,cycles,1,cycles,,mini,p," | awk -F, -v OFS=, -v column="$column" -v long="$long" 'NR == 2 { $column = long } { print }' >long.csv
    name=$(sed -n 1p long.csv | cut -d, -f "$column")
    compare long.csv
    point "a long cell of the column $name" "$(want_exit 2; want_empty out; want_lines err 1; want_match err "^long\.csv:2: $name = 0{60}\.\.\.: want 1000 bytes at most$")"
done
{
    echo "$HEAD"
    awk 'BEGIN { for (i = 0; i < 17; i++) printf "#%1048575s\n", "" }'
} >large.csv
compare large.csv
point 'a file of 17 MiB' "$(want_exit 2; want_empty out; want_lines err 1; want_match err '^large\.csv: larger than 16 MiB, the most that is read: want it in parts, ')"
rm large.csv
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "c%d,", i; print "" }' >wide.csv
compare wide.csv
point 'thousands of columns' "$(want_exit 2; want_empty out; want_lines err 1; want_match err '^wide\.csv:1: 20001 columns: want those of g80sim compare --help, which are 16$')"
printf '%s\ra,six,,cycles,1,,\rb,six,,cycles,1,,\r' "$HEAD" >cr.csv
compare cr.csv
point 'lines that end with CR alone' "$(want_exit 2; want_empty out; want_lines err 1; want_match err '^cr\.csv:1: field 7 = tolerance\\ra: a CR that no LF follows: want LF or CR LF')"
printf 'workload,params,metric,value\nsix,,cycles,1\0\n' >nul.csv
compare nul.csv
point 'a NUL' "$(want_exit 2; want_empty out; want_lines err 1; want_match err '^nul\.csv:2: a byte 0x00 that is no text')"
awk -v head="$HEAD" 'BEGIN { print head; for (i = 0; i < 20000; i++) print "row-" i ",six,,speedup:raw-" i ",1,," }' >misspelt.csv
compare misspelt.csv
point 'thousands of misspelt ids' "$(want_exit 2; want_lines err 51; want_match err '^misspelt\.csv:2: metric = speedup:raw-0: no row has the id raw-0, and there is no such trace$'; want_match err '^misspelt\.csv: 19950 more faults$')"
printf 'workload,params,metric,value\nsix,\377,cycles,1\n' >latin.csv
compare latin.csv
point 'bytes that are no text' "$(want_exit 2; want_lines err 1; want_match err '^latin\.csv:2: a byte 0xff')"

cat >many.csv <<'CSV'
id,workload,params,metric,value
a,six,W=1,cycles,fast
b,six,V=1,cycles,1
b,sixx,,speed,1
c,six,,speedup:d,1
CSV
compare many.csv
point 'all mistakes at once, by line' "$(
    want_exit 2
    want_lines err 6
    [ "$(cut -d ' ' -f 1,2 err | tr '\n' ' ')" = 'many.csv:2: value many.csv:3: params many.csv:4: id many.csv:4: metric many.csv:4: workload many.csv:5: metric ' ] || reason 'want their places in order'
)"

# ---- traces that fail: exit statuses of run, and the row ----

printf 'g80trace 1\nkernel k\n  grid 1\n  block 32\n  regs 8\n  fly r0\nend\n' >broken.trace
printf 'workload,params,metric,value\nsix,,cycles,100\nbroken,,cycles,1\n' >broken.csv
compare broken.csv
point 'a mistake in a trace' "$(want_exit 3; want_empty out; want_lines err 1; want_match err '^broken\.csv:3: \./broken\.trace:6:')"
printf 'workload,params,metric,value\nmoves,W=9,cycles,292\nmoves,W=10,cycles,1\n' >require.csv
compare require.csv
point 'parameters that a trace does not take' "$(want_exit 3; want_empty out; want_lines err 1; want_match err '^require\.csv:3: \./moves\.trace:3:')"
printf 'workload,params,metric,value\nsix,W=1,cycles,100\nsix,W=2,cycles,1\nsix,W=8,cycles,1\n' >limit.csv
for jobs in 1 2 3; do
    compare limit.csv -s limit.max_instructions=7 -j "$jobs"
    point "a simulation that cannot go on, -j $jobs: the first row" "$(want_exit 4; want_empty out; want_lines err 1; want_match err '^limit\.csv:3: ')"
done

# ---- the command line ----

mkdir folder
printf 'workload,params,metric,value\nsix,W=1,cycles,100\n' >good.csv

# refused_line NAME REGEX ARGUMENT...
refused_line()
{
    name=$1
    regex=$2
    shift 2
    run compare "$@"
    point "$name" "$(want_exit 2; want_empty out; want_lines err 1; want_match err "$regex")"
}
refused_line 'no file' 'too few arguments' mini.ini
refused_line 'a file that is not there' '^no\.csv: No such file' mini.ini no.csv
refused_line 'a folder for a file' '^folder: ' mini.ini folder
refused_line 'a folder that is not there' '-w none: want a folder' mini.ini good.csv -w none
refused_line 'a tolerance' '--tolerance -3: want percent' mini.ini good.csv --tolerance=-3
refused_line 'a limit' '--max-mape x: want percent' mini.ini good.csv --max-mape x
refused_line 'a tolerance in hex' '--tolerance 0x10: want percent, a number from 0 to 1e30;' mini.ini good.csv --tolerance 0x10
refused_line 'a tolerance without end' '--tolerance 1e400: want percent' mini.ini good.csv --tolerance 1e400
refused_line 'a limit in hex' '--max-mape 0x10: want percent, a number from 0 to 1e30;' mini.ini good.csv --max-mape 0x10
refused_line 'no class' '--confidence: no row is of the class' mini.ini good.csv --confidence ''
refused_line 'no threads' '-j 0: want 1\.\.256' mini.ini good.csv -j 0
refused_line 'two on standard output' 'want one of' mini.ini good.csv --json - --markdown -
refused_line 'two in one file' 'the same file' mini.ini good.csv --json x --csv ./x
refused_line 'a key' 'sm\.nothing' mini.ini good.csv -s sm.nothing=1
for target in good.csv six.trace mini.ini; do
    cp "$target" before
    refused_line "--json names what is read: $target" 'is read by this run' mini.ini good.csv --json "$target"
    point "$target is left alone" "$(cmp "$target" before 2>&1)"
done

finish
