#!/bin/sh
# The exercises of the course and of its notes on the G80: each is one command, and its answer has every figure of the worked solution.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

EXERCISE=$ROOT/configs/exercise.ini

# ask ARGUMENT...: runs, and joins the lines of a paragraph, so that a figure is found wherever the line breaks
ask()
{
    run "$@"
    tr '\n' ' ' <out | tr -s ' ' >words
}

# say NAME REGEX...: the answer has all of these
say()
{
    name=$1
    shift
    point "$name" "$(
        want_exit 0
        want_empty err
        for figure; do
            want_match words "$figure"
        done
    )"
}

# ---- registers and occupancy: 2.1, 2.2, 3.2 ----

ask occupancy "$EXERCISE" --regs 48
say '2.1: 65,536 registers at 48 each' '65,536 registers / 48 = 1,365 threads' '42 warps = 1,344 threads'
say '2.2: of 2,048 threads, both ways' 'of at most 2,048 that is 66\.7 %' '1,344 threads, 65\.6 %'
ask occupancy "$EXERCISE" --regs 32
say '3.2: 32 registers' '= 2,048 threads; of at most 2,048 that is 100\.0 %' '64 warps = 2,048 threads, 100\.0 %'
ask occupancy "$EXERCISE" --regs 64
say '3.2: 64 registers' '= 1,024 threads; of at most 2,048 that is 50\.0 %' '32 warps = 1,024 threads, 50\.0 %'

# ---- banks and transactions: 2.3, 3.1, 3.3 ----

ask banks "$EXERCISE" --address 260
say '2.3: the bank of byte 260' 'byte 260 is in bank 1: word 65 \(260 / 4\), and 65 mod 32 banks = 1'
ask coalesce "$EXERCISE" --address '4*laneid'
say '3.1a: consecutive words' 'Transactions 1: 1 of 128 bytes' '100\.0 %: 128 of 128 moved bytes'
ask coalesce "$EXERCISE" --address '128*laneid'
say '3.1b: 128 bytes apart' 'Transactions 32: 32 of 128 bytes' '3\.1 %: 128 of 4,096 moved bytes'
ask coalesce "$EXERCISE" --address '64+4*laneid'
say '3.1c: from byte 64 on' 'Transactions 2: 2 of 128 bytes' 'misaligned' '50\.0 %: 128 of 256 moved bytes'
ask banks "$EXERCISE" --address '4*5'
say '3.3 X: all lanes on word 5' 'word 5 ' 'factor 1 ' 'Broadcast yes'
ask banks "$EXERCISE" --address '4*laneid'
say '3.3 Y: lanes on words 0 to 31' 'factor 1 ' 'Conflicts none' 'Broadcast no'

# ---- tiles and padding: 4.1, 4.2, 4.3 ----

ask model tiling --n 2048 --tile 16
say '4.1: bytes of a tile, and of two' '16 x 16 x 4 = 1,024 bytes' '2 x 1,024 = 2,048 bytes of a block'
say '4.3: reads, naive and tiled' '= 17,179,869,184 reads' '= 1,073,741,824 reads' 'Reduction 16:'
ask occupancy "$EXERCISE" --regs 32 --threads 256 --shared 2048
say '4.1c: blocks in 96 KB, and what limits them' ' shared 48 2,048 98,304 warps' 'Resident 8 blocks' 'limited by registers, warps, threads'
ask banks "$EXERCISE" --address '128*laneid'
say '4.2: a column of [32][32]' 'factor 32 ' 'bank 0: lanes 0-31' '\[33\] in place of \[...\]\[32\], take 1 pass' 'costs 4 bytes for each row, 128 for the 32 rows here'
ask banks "$EXERCISE" --address '132*laneid'
say '4.2: a column of [32][33]' 'factor 1 ' 'Conflicts none'

# ---- estimates: 5.3 ----

ask model stream "$EXERCISE" --threads 1048576 --bytes-per-thread 4
say '5.3: bytes, floor and strided' '= 4,194,304 ' '500 GB/s = 8\.389 us' '32 transactions of 128 bytes' '500 GB/s = 268\.4 us'

# ---- the notes on the G80 ----

ask occupancy "$CONFIG" --regs 10 --threads 256
say 'notes: blocks of 256 threads with 10 registers' '2,560 to a block' 'Resident 3 blocks, 24 of 24 warps'
ask occupancy "$CONFIG" --regs 11 --threads 256
say 'notes: with 11' '2,816 to a block' 'Resident 2 blocks, 16 of 24 warps: 66\.7 %' 'with 10 registers or fewer 3 blocks fit'
# Lanes k and k + 16 on words k and k + 16: the same bank, in two half-warps.
ask banks "$CONFIG" --address '4*laneid'
say 'notes: conflicts are within a half-warp' 'factor 1 in the worst group; lanes 0-15: 1, lanes 16-31: 1' 'Conflicts none' '16 banks of 4 bytes serve a half-warp'
ask banks "$CONFIG" --address '64*(laneid/2)'
say 'notes: eight words of one bank in a half-warp' 'factor 8 in the worst group'
# Words 0 and 17 lie in banks 0 and 1, and eight lanes want each: a pass gives all of them one of the words, and one lane the other.
ask banks "$CONFIG" --address '4*17*(laneid%2)'
say 'notes: one word is broadcast in a pass' 'lanes 0-15: 2, lanes 16-31: 2'

finish
