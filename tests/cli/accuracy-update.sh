#!/bin/sh
# tools/accuracy-update, with rows of our own that take no time: that it fills every part of the document.

# shellcheck disable=SC2016 # the dollars and backquotes are text
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'
command -v gnuplot >/dev/null || skip_all 'gnuplot is not installed'

cat >rows.csv <<'CSV'
id,config,workload,params,reduced,metric,value,family,gap,explain
one,g80,copy-stride,N=4096 stride=4,N=2048 stride=4,gbs,3,f,,a sentence
two,g80,copy-stride,N=4096 stride=1,,gbs,6,f,,
mm1,g80,matmul-naive,N=4096,N=32,time,1,,known,
other,gt200,copy-stride,N=4096 stride=2,,gbs,1,,,
old,fx5600,copy-stride,N=4096 stride=2,,gbs,1,,,
CSV
for part in reduced full closed-forms sensitivity h200; do
    printf '<!-- accuracy/%s -->\nold\n<!-- /accuracy/%s -->\n' "$part" "$part"
done >document
mkdir images
printf 'id,workload,params,metric,value\nhere,copy-stride,N=4096 stride=4,cycles,3000\n' >measured.csv
printf '# why\nrows,explain\nelsewhere h*,"a store, and no load"\n*,another\n' >why.csv
printf '#!/bin/sh\necho "| forms $1 |"\n' >forms
chmod +x forms
export ROWS="$PWD/rows.csv" DOCUMENT="$PWD/document" IMAGES="$PWD/images" CLOSED_FORMS="$PWD/forms" MEASURED="$PWD/measured.csv" MEASURED_WHY="$PWD/why.csv" MEASURE=none

# update ARGUMENT...
update()
{
    code=0
    "$ROOT/tools/accuracy-update" "$@" >out 2>err || code=$?
}

update
point 'reduced sizes, images, closed forms' "$(
    want_exit 0
    want_empty err
    want_match document '^\| one \| copy-stride N=2048 stride=4 \|'
    want_match document '^\| other \| copy-stride '
    want_match document '^\| old \| copy-stride '
    want_match document '^### GeForce GTX 280$'
    want_match document '\| a sentence \|$'
    want_match document '^\| forms --table \|$'
    [ "$(grep -c '^| other |' document)" -le 2 ] || reason 'want no rows of other boards'
    [ "$(grep -c '^old$' document)" -eq 3 ] || reason 'want the other parts as they are'
    want_match images/accuracy-g80.svg '</svg>'
    want_match images/accuracy-gt200.svg '</svg>'
)"
sed -i 's/N=4096,N=32,time/N=64,,time/' rows.csv
update --full -j 2
point 'published sizes' "$(
    want_exit 0
    want_match document '^\| one \| copy-stride N=4096 stride=4 \|'
    want_match document '^All of this took [0-9]+ minutes?, with 2 at a time\.$'
)"
update --sensitivity
point 'sensitivity' "$(
    want_exit 0
    want_match document '^\| nothing \| [0-9.]+ % \| none \| [0-9.]+ % \| none \|$'
    want_match document '^\| g80 launch\.overhead_us=[0-9]+; gt200 launch\.overhead_us=[0-9]+ \| [0-9.]+ % \| `(one|two)` [+-][0-9.]+ % \| [0-9.]+ % \| `other` '
    [ "$(grep -c '^old$' document)" -eq 1 ] || reason 'want the other part as it was'
)"
update --h200
point 'what was measured' "$(
    want_exit 0
    want_match document '^\| here \| copy-stride N=4096 stride=4 \| cycles \|'
    want_match document '^With `configs/h200.ini`$'
    want_match document '\| a store, and no load \|$'
    want_match images/accuracy-h200.svg '</svg>'
    [ "$(grep -c '^old$' document)" -eq 0 ] || reason 'want every part filled'
)"
cp document before
echo 'x,g80,no-such-trace,,,gbs,1,,,' >>rows.csv
update
point 'rows that are wrong: the document stays' "$(want_exit 2; want_match err 'no-such-trace'; cmp -s document before || reason 'want the document as it was')"
update --wrong
point 'usage' "$(want_exit 2; want_match err 'tools/accuracy-update \[--full')"

finish
