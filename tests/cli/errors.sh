#!/bin/sh
# What a user can do wrong: each mistake gives one clear line with the place, the documented exit status, and no output.
# Exit statuses: 2 usage or configuration, 3 trace, 4 simulation fault.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

# refused NAME STATUS REGEX ARGUMENT...: the program, with a --json target added, ends with STATUS, prints nothing but one
# line on stderr that matches REGEX, and leaves no file.
refused()
{
    name=$1
    status=$2
    regex=$3
    shift 3
    rm -f result.json
    run "$@" --json result.json
    point "$name" "$(
        want_exit "$status"
        want_empty out
        want_lines err 1
        want_match err "$regex"
        want_absent result.json
    )"
}

# config_refused NAME REGEX, with the text of the configuration on stdin
config_refused()
{
    cat >bad.ini
    refused "$1" 2 "$2" bad.ini "$TRACES/matmul.trace"
}

# trace_refused NAME STATUS REGEX [ARGUMENT...], with the text of the trace on stdin
trace_refused()
{
    cat >bad.trace
    name=$1
    status=$2
    regex=$3
    shift 3
    refused "$name" "$status" "$regex" "$CONFIG" bad.trace "$@"
}

# kernel_refused NAME STATUS REGEX [ARGUMENT...]: like trace_refused, with the text from line 7 on, the lines of a kernel
# of one warp that has eight registers and an array of 32 words.
kernel_refused()
{
    body=$(cat)
    trace_refused "$@" <<TRACE
g80trace 1
global A[32] : f32
kernel k
  grid  2
  block 32
  regs  8
$body
end
TRACE
}

# ---- the command line ----

run
point 'no arguments: how to use it' "$(want_exit 2; want_empty out; want_match err '[Uu]sage|g80sim')"

refused 'unknown option' 2 '--colour; try' "$CONFIG" "$TRACES/matmul.trace" --colour
refused 'unknown option, near one' 2 'Unknown option --repaet: did you mean --repeat\?' "$CONFIG" "$TRACES/matmul.trace" --repaet 3
refused 'override of an unknown key' 2 'dram\.bankz.*banks' "$CONFIG" "$TRACES/matmul.trace" -s dram.bankz=4
refused 'override out of range' 2 'dram\.banks *= *0.*1' "$CONFIG" "$TRACES/matmul.trace" -s dram.banks=0
refused 'parameter that the trace does not have' 2 'M\b.*matmul\.trace' "$CONFIG" "$TRACES/matmul.trace" -p M=512
refused 'parameter that is no expression' 2 'N=12x' "$CONFIG" "$TRACES/matmul.trace" -p N=12x
refused 'parameter that the trace forbids' 3 'matmul\.trace:[0-9]+(:[0-9]+)?: .*N % T == 0' \
    "$CONFIG" "$TRACES/matmul.trace" -p N=100

# ---- files ----

refused 'missing configuration' 2 'missing\.ini: No such file' missing.ini "$TRACES/matmul.trace"
refused 'missing trace' 3 'missing\.trace: No such file' "$CONFIG" missing.trace

mkdir -p folder
refused 'a directory as configuration' 2 'folder: Is a directory' folder "$TRACES/matmul.trace"
refused 'a directory as trace' 3 'folder: Is a directory' "$CONFIG" folder

: >empty
refused 'empty configuration' 2 'empty:.*empty' empty "$TRACES/matmul.trace"
refused 'empty trace' 3 'empty:.*g80trace 1' "$CONFIG" empty

printf '\177ELF\002\001\001\000\000\000\000\377\376\n\000\001\n\000' >binary
refused 'binary file as configuration' 2 'binary:1: ' binary "$TRACES/matmul.trace"
refused 'binary file as trace' 3 'binary:1(:[0-9]+)?: ' "$CONFIG" binary

run "$CONFIG" "$TRACES/vecadd.trace" -p N=256 --json nowhere/result.json
point 'unwritable --json: its folder does not exist' \
    "$(want_exit 2; want_lines err 1; want_match err 'nowhere/result\.json: .*No such file'; want_absent nowhere)"
run "$CONFIG" "$TRACES/vecadd.trace" -p N=256 --json folder
point 'unwritable --json: it is a directory' \
    "$(want_exit 2; want_lines err 1; want_match err 'folder: .*[Ii]s a directory'; find folder -type f)"

# ---- configurations ----

config_refused 'unknown key: the nearest name is offered' 'bad\.ini:2: \[dram\] bankz = 8: .*banks' <<'INI'
[dram]
bankz = 8
INI

config_refused 'unknown section: the nearest name is offered' 'bad\.ini:1: \[drum\].*dram' <<'INI'
[drum]
banks = 8
INI

config_refused 'duplicate key' 'bad\.ini:3: \[dram\] banks = 8: .*once' <<'INI'
[dram]
banks = 8
banks = 8
INI

config_refused 'value out of range' 'bad\.ini:2: \[dram\] banks = 0: want 1' <<'INI'
[dram]
banks = 0
INI

config_refused 'comment after a value' 'bad\.ini:2: \[dram\] banks = 8 # as on the board: .*comment' <<'INI'
[dram]
banks = 8 # as on the board
INI

printf '[dram]\nbankz = 8\nbanks = 0\n[drum]\n' >bad.ini
run bad.ini "$TRACES/matmul.trace"
point 'all faults of a configuration are reported at once' \
    "$(want_exit 2; want_lines err 3; want_match err ':2: '; want_match err ':3: '; want_match err ':4: ')"

# ---- traces: form ----

head -n 40 "$TRACES/matmul.trace" >truncated.trace
refused 'truncated trace' 3 'truncated\.trace:[0-9]+(:[0-9]+)?: .*end' "$CONFIG" truncated.trace

trace_refused 'another version' 3 'bad\.trace:1(:[0-9]+)?: .*1' <<'TRACE'
g80trace 7
kernel k
TRACE

kernel_refused 'unknown instruction: the nearest name is offered' 3 'bad\.trace:7:[0-9]+: .*movv.*\bmov\b' <<'TRACE'
  movv r0, r1
TRACE

kernel_refused 'register at regs' 3 'bad\.trace:7(:[0-9]+)?: .*r8.*8' <<'TRACE'
  mov r8
TRACE

kernel_refused 'register above regs, from an expression' 3 'bad\.trace:8(:[0-9]+)?: .*9.*8' <<'TRACE'
  for i = 8 to 9 step 2
    mov r[i+1]
  end
TRACE

kernel_refused 'loop without end' 3 'bad\.trace:[0-9]+(:[0-9]+)?: .*end' <<'TRACE'
  loop i = 0 to 3
    mov r0
TRACE

# ---- traces: what they do ----

kernel_refused 'index out of its array: line, block, thread and index' 3 \
    'bad\.trace:7(:[0-9]+)?: A\b.*\b32\b.*\b31\b.*block 1,0,0 thread 0,0,0' <<'TRACE'
  ld r0, A[ctaid.x*32 + tid.x]
TRACE

kernel_refused 'index below its array' 3 'bad\.trace:7(:[0-9]+)?: A\b.* -1\b.*block 0,0,0 thread 0,0,0' <<'TRACE'
  ld r0, A[tid.x - 1]
TRACE

kernel_refused 'division by zero in an address' 3 'bad\.trace:7(:[0-9]+)?: .*zero' <<'TRACE'
  ld r0, A[tid.x/(1 - ctaid.x)]
TRACE

trace_refused 'division by zero in a parameter' 3 'bad\.trace:3(:[0-9]+)?: .*zero' <<'TRACE'
g80trace 1
param N = 0
param M = 1/N
kernel k
  grid  1
  block 32
  regs  1
  mov r0
end
TRACE

trace_refused 'overflow in an expression' 3 'bad\.trace:3(:[0-9]+)?: .*overflow' <<'TRACE'
g80trace 1
param N = 9223372036854775807
param M = N + 1
kernel k
  grid  1
  block 32
  regs  1
  mov r0
end
TRACE

kernel_refused 'overflow in an address' 3 'bad\.trace:7(:[0-9]+)?: .*overflow' <<'TRACE'
  ld r0, A[(tid.x + 1)*4611686018427387904]
TRACE

kernel_refused 'barrier inside divergent code' 3 'bad\.trace:8(:[0-9]+)?: .*bar' <<'TRACE'
  if tid.x < 16
    bar
  end
TRACE

kernel_refused 'predicated barrier that some lanes skip' 3 'bad\.trace:7(:[0-9]+)?: .*bar' <<'TRACE'
  @tid.x < 16 bar
TRACE

kernel_refused 'mask stack deeper than 4' 3 'bad\.trace:11(:[0-9]+)?: .*\b4\b' <<'TRACE'
  if tid.x < 16
    if tid.x < 8
      if tid.x < 4
        if tid.x < 2
          if tid.x < 1
            mov r0
          end
        end
      end
    end
  end
TRACE

kernel_refused 'loop of 2^60 iterations' 4 'bad\.trace:.*max_instructions' -s limit.max_instructions=100000 <<'TRACE'
  loop i = 1 to 1 << 60
    mov r0
  end
TRACE

trace_refused 'block too large for the SM' 3 'bad\.trace:[0-9]+(:[0-9]+)?: .*768.*512' <<'TRACE'
g80trace 1
kernel k
  grid  1
  block 768
  regs  4
  mov r0
end
TRACE

trace_refused 'block whose registers do not fit' 3 'bad\.trace:[0-9]+(:[0-9]+)?: .*8192' <<'TRACE'
g80trace 1
kernel k
  grid  1
  block 512
  regs  17
  mov r0
end
TRACE

trace_refused 'shared arrays larger than the SM' 3 'bad\.trace:[0-9]+(:[0-9]+)?: .*16384' <<'TRACE'
g80trace 1
kernel k
  grid  1
  block 32
  regs  4
  shared tile[5000] : f32
  mov r0
end
TRACE

# ---- what is no mistake ----

sed 's/$/\r/' "$CONFIG" >crlf.ini
sed 's/$/\r/' "$TRACES/vecadd.trace" >crlf.trace
run crlf.ini crlf.trace -p N=256
point 'CRLF files are read' "$(want_exit 0; want_match out vecadd)"

# The reader is gone before the report comes.
(
    sleep 1
    code=0
    "$G80SIM" "$CONFIG" "$TRACES/vecadd.trace" -p N=256 2>err || code=$?
    echo "$code" >status
) | :
code=$(cat status)
: >out
point 'a closed pipe ends quietly' "$(
    [ "$code" -eq 0 ] || [ "$code" -eq 141 ] || reason 'want exit status 0, or that of a closed pipe'
    want_empty err
)"

finish
