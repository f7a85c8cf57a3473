#!/bin/sh
# occupancy, banks and coalesce: what they say in words and in JSON, what they refuse, and that --help alone answers the textbook's
# questions. The numbers of rules have cases.sh and the unit tests; here are those of exercises.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

config()
{
    echo "$ROOT/configs/$1.ini"
}

# keys FILE KEYS: the members of the document, in order
want_keys()
{
    want_json "$1" 'keys_unsorted' "$2"
}

# ---- occupancy ----

# 65536/48 = 1365.3; 1365/32 = 42.7, 42 warps = 1344; of 2048: 0.66650390625 and 0.65625
run occupancy "$(config exercise)" --regs 48 --json answer.json
point 'occupancy: the register budget of an exercise' "$(
    want_exit 0
    want_keys answer.json '["threads_by_registers", "threads_by_registers_warp", "occupancy_ideal", "occupancy", "blocks_per_sm", "warps_per_sm", "max_warps_per_sm", "limiter", "limits", "refusal"]'
    want_json answer.json '[.threads_by_registers, .threads_by_registers_warp]' '[1365, 1344]'
    want_json answer.json '.occupancy_ideal' 0.666503906
    want_json answer.json '[.occupancy, .warps_per_sm, .max_warps_per_sm]' '[0.65625, 42, 64]'
    want_json answer.json '[.blocks_per_sm, .limiter, .limits, .refusal]' '[null, null, null, null]'
    want_match out '65,536 registers / 48 = 1,365 threads'
    want_match out '66\.7 %'
    want_match out '42 warps = 1,344 threads, 65\.6 %'
    want_match out 'with 47 registers or fewer 43 warps fit, with 32 or fewer all 64'
)"
for row in '32 1 1' '64 0.5 0.5' '1 1 1' '255 0.125 0.125'; do
    # shellcheck disable=SC2086 # words: registers, both shares; 65536/255 = 257 threads, 8 warps of 64
    set -- $row
    run occupancy "$(config exercise)" --regs "$1" --json -
    point "occupancy: $1 registers" "$(
        want_exit 0
        want_json out .occupancy "$2"
        want_json out '.occupancy_ideal * 64 | floor / 64' "$3"
    )"
done

# 2048 bytes of 98304: 48 blocks by shared memory alone; 65536/(256*32) = 8 is what limits
run occupancy "$(config exercise)" --regs 32 --threads 256 --shared 2048 --json answer.json
point 'occupancy: two tiles of 16 x 16 floats' "$(
    want_exit 0
    want_json answer.json .limits '{"registers": 8, "shared": 48, "warps": 8, "threads": 8, "blocks": 64}'
    want_json answer.json '[.blocks_per_sm, .warps_per_sm, .occupancy, .limiter]' '[8, 64, 1, "registers"]'
    want_match out '^Resident +8 blocks, 64 of 64 warps: 100\.0 %; limited by registers, warps,'
    want_match out '^  shared +48 +2,048 +98,304$'
    want_match out '^Next step +none'
)"

# 8 warps x 32 x 11 = 2816 = 11 x 256; 8192/2816 = 2. At 10: 2560, 3 blocks.
run occupancy "$(config g80)" --regs 11 --threads 256 --json answer.json
point 'occupancy: one register too many on G80' "$(
    want_exit 0
    want_json answer.json '[.blocks_per_sm, .warps_per_sm, .limiter]' '[2, 16, "registers"]'
    want_json answer.json '.occupancy * 3 * 1e6 | round' 2e6
    want_match out '^Next step +with 10 registers or fewer 3 blocks fit, 24 warps$'
    want_match out '^  registers +2 +2,816 +8,192  <- limits$'
    want_match out '^Registers +8 warps x 32 x 11 = 2,816 to a block, in steps of 256: 2,816$'
)"
run occupancy "$(config g80)" --regs 10 --threads 256 --json -
point 'occupancy: and the number that fits' "$(want_exit 0; want_json out '[.blocks_per_sm, .occupancy]' '[3, 1]')"

# 3 warps count as 4: 4 x 32 x 11 = 1408, in steps of 256 1536
run occupancy "$(config g80)" --regs 11 --threads 96
point 'occupancy: an odd number of warps' "$(
    want_exit 0
    want_match out '^Registers +3 warps \(for 4, in steps of 2\) x 32 x 11 = 1,408 to a block, in$'
    want_match out '^  registers +5 +1,536 '
)"

# 3000 + 16 + 20 = 3036 in steps of 512: 3072, 5 blocks; 6 blocks need 2560, less 36
run occupancy "$(config g80)" --regs 10 --threads 64 --shared 3000 --args 20 --json answer.json
point 'occupancy: shared memory with what else lies there' "$(
    want_exit 0
    want_json answer.json '[.limits.shared, .limiter]' '[5, "shared"]'
    want_match out '^Shared memory 3,000 bytes \+ 16 reserved \+ 20 of arguments \(--args\) = 3,036 '
    want_match out '^Next step +with 2,524 bytes of shared memory or less 6 blocks fit, 12 warps$'
)"
run occupancy "$(config g80)" --regs 10 --threads 64 --shared 4K --json -
point 'occupancy: K is 1024 bytes' "$(want_exit 0; want_json out .limits.shared 3)"

# Registers and shared memory each allow 2 blocks of 256: 16 registers, 5104 + 16 bytes for the third
run occupancy "$(config g80)" --regs 11 --threads 256 --shared 8000
point 'occupancy: two limits at once' "$(
    want_exit 0
    want_match out 'with 10 registers or fewer and 5,104 bytes of shared memory or$'
    want_match out '^ +less 3 blocks fit, 24 warps$'
)"

# 12 warps x 32 x 22 = 8448 > 8192; at 21 8064
run occupancy "$(config g80)" --regs 22 --threads 384 --json answer.json
point 'occupancy: a launch that does not fit is an answer' "$(
    want_exit 0
    want_json answer.json '[.blocks_per_sm, .warps_per_sm, .occupancy, .limiter]' '[0, 0, 0, "registers"]'
    want_json answer.json '.refusal | test("takes 8448 registers: want at most occupancy.registers = 8192")' true
    want_match out '^Resident +0 blocks: it cannot be launched: block of 384 threads'
    want_match out '^Next step +with 21 registers or fewer 1 block fits, 12 warps$'
)"
run occupancy "$(config g80)" --regs 10 --threads 1024 --json -
point 'occupancy: blocks above the most of the chip' "$(
    want_exit 0
    want_json out '[.blocks_per_sm, .limits.threads]' '[0, 0]'
    want_json out '.refusal | test("1024 threads: want at most occupancy.max_block_threads = 512")' true
)"
run occupancy "$(config gf100)" --regs 64 --json -
point 'occupancy: registers above the most of the chip' "$(
    want_exit 0
    want_json out '[.occupancy, .warps_per_sm]' '[0, 0]'
    want_json out '.refusal | test("regs = 64: want at most occupancy.max_regs = 63")' true
)"

# The most that any launch reaches: 48 registers let 4 warps in together (6144), not 5, which count as 6 (9216 > 8192).
run occupancy "$(config g80)" --regs 48 --json -
point 'occupancy: the register budget where blocks get the grant' "$(want_exit 0; want_json out .warps_per_sm 4)"

# ---- banks ----

# byte 260: word 65, 65 mod 32 = 1
run banks "$(config exercise)" --address 260 --json answer.json
point 'banks: the bank of byte 260' "$(
    want_exit 0
    want_keys answer.json '["banks", "groups", "factor", "passes"]'
    want_json answer.json '[.banks | length, (unique | length), .[0]]' '[32, 1, 1]'
    want_json answer.json .groups '[{"first_lane": 0, "last_lane": 31, "factor": 1, "broadcast": true}]'
    want_json answer.json '[.factor, .passes]' '[1, 1]'
    want_match out '^Bank +byte 260 is in bank 1: word 65 \(260 / 4\), and 65 mod 32 banks = 1$'
    want_match out '^Broadcast +yes'
)"
run banks "$(config exercise)" --address 20+0*laneid --json -
point 'banks: all lanes on word 5' "$(want_exit 0; want_json out '[.factor, .groups[0].broadcast, .banks[7]]' '[1, true, 5]')"
run banks "$(config exercise)" --address '4*laneid' --json -
point 'banks: words 0 to 31' "$(want_exit 0; want_json out '[.factor, .groups[0].broadcast, .banks]' "[1, false, $(seq -s , 0 31 | sed 's/.*/[&]/')]")"

# A column of float tile[32][32]: words 0, 32 ... 992, all in bank 0. With rows of 33 words the banks are 0..31.
run banks "$(config exercise)" --address '128*laneid' --json answer.json
point 'banks: a column of a square tile, and its cure' "$(
    want_exit 0
    want_json answer.json '[.factor, .passes]' '[32, 32]'
    want_match out '^Conflicts +bank 0: lanes 0-31 on words 0, 32, \.\.\., 992$'
    want_match out 'Pad that stride by 1 word: rows of 33 words'
    [ "$(grep -c '|X\.\{31\}|' out)" -eq 16 ] || reason 'want every lane drawn at bank 0'
)"
run banks "$(config exercise)" --address '132*laneid' --json -
point 'banks: a column of the padded tile' "$(want_exit 0; want_json out '[.factor, .banks[31]]' '[1, 31]')"

# Two lanes of 16 on each even bank
run banks "$(config g80)" --address '8*laneid' --json answer.json
point 'banks: stride 2 by half-warps' "$(
    want_exit 0
    want_json answer.json '.groups | map([.first_lane, .last_lane, .factor])' '[[0, 15, 2], [16, 31, 2]]'
    want_match out '^Conflicts +bank 0: lanes 0, 8 on words 0, 16$'
    want_match out 'and 4 more banks like these'
    want_match out '^  0 \|X\.{15}\| word 0 +16 \|X\.{15}\| word 32$'
)"
run banks "$(config g80)" --address '4*(16*tid.x + tid.y)' --ntid 16,16 --warp 3
point 'banks: the stride to pad is the one of tid.x, in the fourth warp' "$(
    want_exit 0
    want_match out '^Conflicts +bank 6: lanes 0-15 on words 6, 22, \.\.\., 246$'
    want_match out '^Cure +tid\.x steps by 64 bytes, 16 words'
    want_match out 'rows of 17 words'
)"
run banks "$(config g80)" --address '4*(laneid/2)'
point 'banks: only one word of a pass is broadcast on cc 1.x' "$(want_exit 0; want_match out '^Passes +4; factor 2 '; want_match out 'several words that several lanes')"
run banks "$(config gk110)" --address '8*laneid' --json -
point 'banks: words that a wide bank delivers together are no broadcast' "$(want_exit 0; want_json out '[.factor, .groups[0].broadcast]' '[1, false]')"
run banks "$(config g80)" --address '8*laneid' --width 8 --json answer.json
point 'banks: words of two banks, two requests of each half-warp' "$(
    want_exit 0
    want_json answer.json '[.passes, .factor, (.groups | length)]' '[8, 2, 4]'
    want_match out 'in 2 arrays of 4-byte words'
)"
run banks "$(config g80)" --address 'laneid' --width 1
point 'banks: characters, and what to do' "$(want_exit 0; want_match out '^Cure +let each lane take a whole word, 4\*laneid: 2 passes for 4')"
# Two characters of one word: a load is a broadcast, the writes are two.
run banks "$(config g80)" --address 'laneid' --width 1 --active 3 --store --json -
point 'banks: stores' "$(want_exit 0; want_json out .passes 2)"
run banks "$(config exercise)" --address '4*laneid' --active 0x80000001 --json answer.json
point 'banks: lanes that are off' "$(
    want_exit 0
    want_json answer.json '[.banks[0], .banks[1], .banks[30], .banks[31]]' '[0, null, null, 31]'
    want_match out '^  1 \| {32}\|'
)"
run banks "$(config g80)" --address '4*laneid' --ntid 40 --warp 1 --json -
point 'banks: lanes without a thread' "$(want_exit 0; want_json out '[.banks[7], .banks[8], (.groups | length)]' '[7, null, 1]')"
run banks "$(config g80)" --address '16384+4*laneid'
point 'banks: beyond shared memory' "$(want_exit 0; want_match out '^Note +lane 0 is beyond the 16,384 bytes')"

# Atomics: lanes on a bank take turns, whatever their words. Half-warps on cc 1.x.
run banks "$(config gt200)" --address 0 --atomic --json answer.json
point 'banks: atomics on one word take turns' "$(
    want_exit 0
    want_json answer.json '[.factor, .passes]' '[16, 32]'
    want_json answer.json '.groups | map(.broadcast)' '[false, false]'
    want_match out '^banks: 32 lanes atomically update 4 bytes each at 0; '
    want_match out '^Conflicts +bank 0: lanes 0-15 on word 0$'
    want_match out '^Broadcast +no: atomics on one word are done one after the other$'
    want_match out '^Cure +no padding helps: .*different banks,$'
    want_match out '^Rule +of atomics: 16 banks of 4 bytes, a half-warp at a time'
)"
run banks "$(config gt200)" --address '4*laneid' --atomic --json -
point 'banks: atomics on words of their own do not' "$(want_exit 0; want_json out '[.factor, .passes]' '[1, 2]')"
run banks "$(config gv100)" --address '4*(laneid/2)' --atomic --json -
point 'banks: atomics where a load would multicast' "$(want_exit 0; want_json out '[.factor, .passes]' '[2, 2]')"
run banks "$(config gv100)" --address '128*laneid' --atomic
point 'banks: atomics on a column are cured by padding' "$(want_exit 0; want_match out '^Passes +32; factor 32$'; want_match out 'Pad that stride by 1 word')"
# A made-up chip: with 16 banks and 8-byte atomics, which came with 32
run banks "$(config gt200)" -s sm.compute_capability=2.0 --address '8*laneid' --width 8 --atomic --json answer.json
point 'banks: atomics on words of two banks, two requests of each half-warp' "$(
    want_exit 0
    want_json answer.json '[.passes, .factor, (.groups | length)]' '[8, 2, 4]'
    want_match out "^ +lane's 8 bytes are 2 requests\.$"
)"

# gcd(s, 16) and gcd(s, 32), the rule for strides of s words
gcd()
{
    if [ "$2" -eq 0 ]; then echo "$1"; else gcd "$2" $(($1 % $2)); fi
}

# One jq for all the answers; looking for leaks after each of these runs of one command would take longer than they do.
code=0
for stride in $(seq 1 33) 48 64 100 1000; do
    for row in 'g80 16' 'gf100 32' 'h200 32'; do
        # shellcheck disable=SC2086 # words: machine, banks
        set -- $row
        echo "$stride $1 $(gcd "$stride" "$2")" >&3
        ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 "$G80SIM" banks "$(config "$1")" --address "4*$stride*laneid" --json - ||
            echo '{"factor": "failed"}'
    done
done >answers 3>wanted
jq -r .factor answers | paste -d ' ' wanted - >beside
wrong=$(awk 'NF != 4 || $3 != $4 { print "stride", $1, "on", $2 ": want", $3 ", not", $4 }' beside; [ -s beside ] || reason 'want answers')
point 'banks: the factor of stride s is gcd(s, banks)' "$wrong"

# ---- coalesce ----

run coalesce "$(config exercise)" --address '4*laneid' --json answer.json
point 'coalesce: consecutive words' "$(
    want_exit 0
    want_keys answer.json '["transactions", "count", "bytes_moved", "bytes_used", "efficiency"]'
    want_json answer.json . '{"transactions": [{"address": 0, "bytes": 128}], "count": 1, "bytes_moved": 128, "bytes_used": 128, "efficiency": 1}'
    want_match out '^ +0 \[01234567  89012345  67890123  45678901\]  1 x 128 B$'
    want_match out '^Cure +nothing to cure'
)"
run coalesce "$(config exercise)" --address '128*laneid' --json answer.json
point 'coalesce: 128 bytes apart' "$(
    want_exit 0
    want_json answer.json '[.count, .bytes_moved, .bytes_used, .efficiency]' '[32, 4096, 128, 0.03125]'
    want_json answer.json '.transactions[31]' '{"address": 3968, "bytes": 128}'
    want_match out '^Lanes +128 bytes from lane to lane, of which 4 are used'
    want_match out 'and 18 rows more'
)"
run coalesce "$(config exercise)" --address '64+4*laneid' --json -
point 'coalesce: from byte 64 on' "$(want_exit 0; want_json out '[.count, .transactions[1].address, .efficiency]' '[2, 128, 0.5]')"

run coalesce "$(config g80)" --address '132+4*laneid'
point 'coalesce: cc 1.0 names the lane: misaligned' "$(
    want_exit 0
    want_match out '^Why +lanes 0-15 are not coalesced, misaligned: lane 0'
    want_match out '^Cure +let lane 0 start at a multiple of 128 bytes, at 128 in place of'
    want_match out '^ +128 \[\.0123456\]\[78901234\]\[56789012\]\[34567890\]  31 x 32 B$'
)"
run coalesce "$(config g80)" --address '4*laneid + (laneid == 3)*4 - (laneid == 4)*4'
point 'coalesce: cc 1.0 names the lane: out of order' "$(
    want_exit 0
    want_match out 'lanes 0-15 are not coalesced, out of order: lane 3 takes byte 16,'
    want_match out 'lanes 16-31 are coalesced: each takes its own word of the segment$'
)"
run coalesce "$(config g80)" --address '12*laneid'
point 'coalesce: cc 1.0 names the lane: a gap' "$(want_exit 0; want_match out 'a gap: lane 1 takes byte 12, where 4$')"
run coalesce "$(config g80)" --address '2*laneid' --width 2
point 'coalesce: cc 1.0 names the width' "$(want_exit 0; want_match out 'a word has 2 bytes, and 4, 8 or 16$')"
run coalesce "$(config g80)" --address '0' --json answer.json
point 'coalesce: one word for all on cc 1.0' "$(
    want_exit 0
    want_json answer.json '[.count, .bytes_used]' '[32, 4]'
    want_match out '^Cure +let one lane take it'
)"
run coalesce "$(config gt200)" --address '132+4*laneid' --json answer.json
point 'coalesce: segments that shrink' "$(
    want_exit 0
    want_json answer.json .transactions '[{"address": 128, "bytes": 128}, {"address": 192, "bytes": 64}, {"address": 256, "bytes": 32}]'
    want_match out '^Why +misaligned: the words lie side by side, but byte 132 is'
)"
run coalesce "$(config gf100)" --address '4*laneid' --store --json -
point 'coalesce: stores go by 32-byte segments on cc 2.x' "$(want_exit 0; want_json out '[.count, .bytes_moved]' '[4, 128]')"
run coalesce "$(config gf100)" -s coalescer.load_bytes=32 --address '4*laneid' --json -
point 'coalesce: a key of the configuration' "$(want_exit 0; want_json out .count 4)"
run coalesce "$(config gv100)" --address 'hash(laneid) % 65536 * 4' --json answer.json
point 'coalesce: scattered words' "$(want_exit 0; want_match out '^Lanes +scattered over'; want_json answer.json '.count > 16' true)"

# Atomics: sectors of 32 bytes, by half-warps on cc 1.x, and the most lanes on one word of each.
run coalesce "$(config gt200)" --address 0 --atomic --json answer.json
point 'coalesce: atomics on one word' "$(
    want_exit 0
    want_keys answer.json '["transactions", "count", "bytes_moved", "bytes_used", "efficiency", "depth"]'
    want_json answer.json . '{"transactions": [{"address": 0, "bytes": 32, "depth": 16}, {"address": 0, "bytes": 32, "depth": 16}], "count": 2, "bytes_moved": 64, "bytes_used": 4, "efficiency": 0.0625, "depth": 16}'
    want_match out '^coalesce: 32 lanes atomically update 4 bytes each at 0; '
    want_match out '^Depth +16: the lanes of the transaction at byte 0 are all on one word'
    want_match out '^Cure +let the lanes combine their values first'
    want_match out '^Rule +of atomics'
)"
run coalesce "$(config gv100)" --address 0 --atomic --json -
point 'coalesce: atomics of a whole warp' "$(want_exit 0; want_json out '[.count, .depth]' '[1, 32]')"
# 24 lanes on word 0, 8 on words 1 to 8: the last of them is in the next sector
run coalesce "$(config gv100)" --address '4*max(laneid-23, 0)' --atomic --json answer.json
point 'coalesce: atomics, the depth of each sector' "$(
    want_exit 0
    want_json answer.json '.transactions | map([.address, .depth])' '[[0, 24], [32, 1]]'
    want_json answer.json .depth 24
    want_match out '^Depth +24: so many of the 31 lanes of the transaction at byte 0 are'
    want_match out '^Cure +let lanes that share a word combine'
)"
run coalesce "$(config gt200)" --address '4*laneid' --atomic --json answer.json
point 'coalesce: atomics in order wait for nobody' "$(
    want_exit 0
    want_json answer.json '[.count, .bytes_moved, .efficiency, .depth]' '[4, 128, 1, 1]'
    want_match out '^Depth +1: no two lanes'
    want_match out '^Cure +nothing to cure'
)"
run coalesce "$(config gt200)" --address '64*laneid' --atomic
point 'coalesce: atomics far apart' "$(want_exit 0; want_match out '^Transactions +32: 32 of 32'; want_match out '^Cure +let neighbouring lanes .*: 4 transactions|^ +at best$')"
run coalesce "$(config gt200)" --address '8*laneid' --width 8 --active 2 --atomic
point 'coalesce: one atomic' "$(want_exit 0; want_match out '^coalesce: 1 lane atomically updates 8 bytes at ')"
run coalesce "$(config gt200)" --address '4*laneid' --json -
point 'coalesce: loads have no depth' "$(want_exit 0; want_json out '[has("depth"), (.transactions[0] | has("depth"))]' '[false, false]')"

# ---- answers stay on a screen ----

code=0
wrong=$(
    for machine in g80 gt200 gf100 gk110 gv100 exercise; do
        for access in '4*laneid 4' '128*laneid 4' '132+4*laneid 4' 'laneid 1' '8*laneid 8' '48*laneid 16' '4*(hash(laneid)%4096) 4'; do
            for command in banks coalesce; do
                "$G80SIM" "$command" "$(config "$machine")" --address "${access% *}" --width "${access##* }" >long || reason "$machine $access failed"
                [ "$(wc -l <long)" -le 45 ] || reason "$command $machine $access: $(wc -l <long) lines"
                tail -n +2 long | awk 'length > 80 { exit 1 }' || reason "$command $machine $access: a line of more than 80 columns"
            done
        done
        [ "$machine" != g80 ] || continue # it has no atomics
        for access in '4*laneid 4' '128*laneid 4' '0 4' '8*laneid 8' '4*(hash(laneid)%64) 4'; do
            for command in banks coalesce; do
                [ "$machine $command ${access##* }" != 'gt200 banks 8' ] || continue # nor has this one in shared memory
                "$G80SIM" "$command" "$(config "$machine")" --address "${access% *}" --width "${access##* }" --atomic >long || reason "$machine $access --atomic failed"
                [ "$(wc -l <long)" -le 45 ] || reason "$command $machine $access --atomic: $(wc -l <long) lines"
                tail -n +2 long | awk 'length > 80 { exit 1 }' || reason "$command $machine $access --atomic: a line of more than 80 columns"
            done
        done
    done
)
point 'banks, coalesce: at most 45 lines of 80 columns' "$wrong"

# ---- what is refused ----

# refused NAME REGEX ARGUMENT...: one line on stderr that matches, status 2, no file
refused()
{
    name=$1
    regex=$2
    shift 2
    rm -f result.json
    run "$@" --json result.json
    point "$name" "$(want_exit 2; want_empty out; want_lines err 1; want_match err "$regex"; want_absent result.json)"
}

for command in banks coalesce; do
    refused "$command: no address" '--address EXPR' "$command" "$CONFIG"
    refused "$command: no configuration" 'CONFIG' "$command" --address 4
    refused "$command: unknown configuration" 'g81\.ini: No such file' "$command" g81.ini --address 4
    refused "$command: unknown key" 'dram\.bankz.*banks' "$command" "$CONFIG" --address 4 -s dram.bankz=4
    refused "$command: a misspelt name" 'lanid: no such name: did you mean laneid\?' "$command" "$CONFIG" --address '4*lanid'
    refused "$command: a name of CUDA" 'threadIdx\.y: .*tid\.y\?' "$command" "$CONFIG" --address '4*threadIdx.y'
    refused "$command: another name" 'N: no such name: want laneid' "$command" "$CONFIG" --address '4*N'
    refused "$command: no expression" '--address:1:3: .*expression' "$command" "$CONFIG" --address '4*'
    refused "$command: an empty one" '--address:1:1: .*expression' "$command" "$CONFIG" --address ''
    refused "$command: a decimal" '1\.5: an integer' "$command" "$CONFIG" --address 1.5
    refused "$command: a huge number" '99999999999999999999' "$command" "$CONFIG" --address 99999999999999999999
    refused "$command: division by zero in a lane" 'division by zero in lane 3' "$command" "$CONFIG" --address '4/(laneid-3)'
    refused "$command: division by zero anyway" 'division by zero' "$command" "$CONFIG" --address '1/0'
    refused "$command: overflow" 'overflow.* in lane 1' "$command" "$CONFIG" --address '(laneid+1)*4611686018427387904'
    refused "$command: a negative address" 'lane 2 has byte -4' "$command" "$CONFIG" --address '4-4*laneid'
    refused "$command: misaligned for its width" 'lane 1 has byte 4: want a multiple of the width, 8 bytes' "$command" "$CONFIG" --address '4*laneid' --width 8
    for width in 0 3 32 -4 4x ''; do
        refused "$command: width '$width'" "--width = $width: want 1, 2, 4, 8 or 16" "$command" "$CONFIG" --address 0 --width "$width"
    done
    refused "$command: a store and an atomic" '--store, --atomic: want one of them at most' "$command" "$(config gt200)" --address 0 --store --atomic
    for width in 1 2 16; do
        refused "$command: atomics of $width bytes" "--width = $width: want 4 or 8 bytes with --atomic" "$command" "$(config gt200)" --address 0 --atomic --width "$width"
    done
    refused "$command: atomics before there were any" 'sm\.compute_capability = 1\.0' "$command" "$CONFIG" --address 0 --atomic
    for mask in 0 0x0 0x100000000 4294967296 -1 0xfg all ''; do
        refused "$command: mask '$mask'" "--active = $mask: want 1\.\.4294967295" "$command" "$CONFIG" --address 0 --active "$mask"
    done
    refused "$command: lanes that have no thread" 'none of these lanes has a thread' "$command" "$CONFIG" --address 0 --ntid 16 --active 0xffff0000
    refused "$command: a block too large" '512,2: 1024 threads: .*512' "$command" "$CONFIG" --address 0 --ntid 512,2
    refused "$command: no block" '--ntid = 0: want 1\.\.512' "$command" "$CONFIG" --address 0 --ntid 0
    refused "$command: a block of four dimensions" '--ntid = 2,2,2,2' "$command" "$CONFIG" --address 0 --ntid 2,2,2,2
    refused "$command: a warp that is not there" '--warp = 2: want 0\.\.1' "$command" "$CONFIG" --address 0 --ntid 64 --warp 2
    refused "$command: one argument too many" 'too many arguments' "$command" "$CONFIG" 260 --address 0
done

# The words are those in which a trace is refused.
refused 'coalesce: no atomics at all' '--atomic: atomic operations on global memory: want compute capability 1\.1 \(configurations g92, gt200 and later\); sm\.compute_capability = 1\.0' coalesce "$CONFIG" --address 0 --atomic
refused 'coalesce: no wide ones' '8 bytes of global memory: want compute capability 1\.2 .* = 1\.1' coalesce "$(config g92)" --address 0 --atomic --width 8
refused 'banks: none on shared memory' '--atomic: atomic operations on shared memory: want compute capability 1\.2 .* = 1\.1' banks "$(config g92)" --address 0 --atomic
refused 'banks: no wide ones' '8 bytes of shared memory: want compute capability 2\.0 \(configurations gf100 and later\); .* = 1\.3' banks "$(config gt200)" --address 0 --atomic --width 8
run "$CONFIG" "$ROOT/workloads/atomic-same.trace"
point 'a trace with atomics on the same machine' "$(want_exit 3; want_lines err 1; want_match err ':[0-9]+: atomic operations on global memory: want compute capability 1\.1 \(configurations g92, gt200 and later\); sm\.compute_capability = 1\.0$')"
# Lanes that are off may be anywhere.
run coalesce "$CONFIG" --address '4/(laneid-3)*4' --active 0x80000000
point 'coalesce: lanes that are off are not evaluated' "$(want_exit 0)"

refused 'occupancy: no registers' '--regs R' occupancy "$CONFIG"
for regs in 0 256 -1 x 1e2 99999999999999999999 ''; do
    refused "occupancy: registers '$regs'" "--regs = $regs: want 1\.\.255" occupancy "$CONFIG" --regs "$regs"
done
for threads in 0 1025 -1 99999999999999999999; do
    refused "occupancy: threads '$threads'" "--threads = $threads: want 1\.\.1024" occupancy "$CONFIG" --regs 10 --threads "$threads"
done
for shared in -1 17M 16777217 99999999999999999999 18014398509481984K; do
    refused "occupancy: shared '$shared'" "--shared = $shared: want 0\.\.16777216 bytes" occupancy "$CONFIG" --regs 10 --threads 32 --shared "$shared"
done
refused 'occupancy: shared memory of no block' 'want --threads' occupancy "$CONFIG" --regs 10 --shared 2048
refused 'occupancy: unknown configuration' 'g81\.ini: No such file' occupancy g81.ini --regs 10

# ---- help ----

# The examples of the help say their answers; here they are run. answered COMMAND ARGUMENTS REGEX...: the help shows exactly this
# command, and a line for each REGEX, which what it prints matches as well.
answered()
{
    command=$1
    arguments=$2
    shift 2
    run "$command" --help
    [ "$code" -eq 0 ] || reason 'want exit status 0'
    grep -qxF "  g80sim $command $arguments" out || reason "want in the help: g80sim $command $arguments"
    (cd "$ROOT" && eval "\"\$G80SIM\" $command $arguments") >example || reason "$arguments: failed"
    for regex; do
        grep -qE -- "$regex" out || reason "want in the help: $regex"
        tr '\n' ' ' <example | tr -s ' ' | grep -qE -- "$regex" || reason "want in the answer: $regex"
    done
}

point 'help: 65,536 registers at 48 per thread' \
    "$(answered occupancy 'configs/exercise.ini --regs 48' '/ 48 = 1,365 threads' '66\.7 %' '1,344' '65\.6 %')"
point 'help: blocks of 256 threads at 10 registers' "$(answered occupancy 'configs/g80.ini --regs 10 --threads 256' '3 blocks, 24 of 24 warps')"
point 'help: two tiles' \
    "$(answered occupancy 'configs/exercise.ini --regs 32 --threads 256 --shared 2048' '8 blocks' 'limited by registers, warps' '48')"
point 'help: the bank of byte 260' "$(answered banks 'configs/exercise.ini --address 260' 'byte 260 is in bank 1: word 65')"
point 'help: a column of a tile' "$(answered banks "configs/exercise.ini --address '128*laneid'" 'factor 32' 'bank 0')"
point 'help: a column of a padded tile' "$(answered banks "configs/exercise.ini --address '132*laneid'" 'factor 1')"
point 'help: by half-warps' "$(answered banks "configs/g80.ini --address '4*(17*tid.x + tid.y)' --ntid 16,16" 'factor 1')"
point 'help: atomics in shared memory' "$(answered banks "configs/gt200.ini --address '4*(laneid/4)' --atomic" 'factor 4')"
point 'help: consecutive words' "$(answered coalesce "configs/exercise.ini --address '4*laneid'" '100')"
point 'help: 128 bytes apart' "$(answered coalesce "configs/exercise.ini --address '128*laneid'" '32' '3\.1 %')"
point 'help: from byte 64 on' "$(answered coalesce "configs/exercise.ini --address '64+4*laneid'" '2' '50\.0 %')"
point 'help: shifted by one word' "$(answered coalesce "configs/g80.ini --address '132+4*laneid'" '32' '128')"
point 'help: one counter for all' "$(answered coalesce "configs/gt200.ini --address 0 --atomic" '2' '16')"
run --help
point 'help: the commands are listed' "$(want_exit 0; want_match out '^  occupancy '; want_match out '^  banks '; want_match out '^  coalesce ')"

finish
