# The numbers in the text of a lab. Input: its files, the hand-out first. Prints a line for each mistake, and writes the equations of the
# text, as awk, to the file `equations`.
#
# A number of the text must be known: it stands in a block of the lab (a command, an output or a file, which tests/docs.sh
# checks), or it is the result of an equation of the lab. An equation is code in the text such as `65,536 / 48 = 1,365.33`; its
# terms must be known before it. Numbers of one digit without a unit are free, and so are the constants below.

BEGIN {
    units = "^ ?(%|cycles?|bytes?|[kKMG]?B|GB/s|threads?|warps?|blocks?|registers?|transactions?|passes|lanes?|banks?|words?|" \
        "reads|us|ms|W|GFLOP/s|FLOP/byte|instructions?|requests?|misses|times)([^A-Za-z]|$)"
    constant[10]; constant[100]; constant[1024] # powers of ten, percent, kilobytes
    printf "" >equations
}

FNR == 1 { inside = 0 }

/^```/ { inside = !inside; next }

inside || FILENAME !~ /\.md$/ { note($0); next }

{
    place[++lines] = FILENAME ":" FNR
    text[lines] = $0
}

# next_number: the first number of `rest` that is not a part of a name goes to `token`, `after` is what follows it
function next_number(    before)
{
    while (match(rest, /[0-9]+(,[0-9][0-9][0-9])*(\.[0-9]+)?/)) {
        before = RSTART > 1 ? substr(rest, RSTART - 1, 1) : last
        token = substr(rest, RSTART, RLENGTH)
        rest = after = substr(rest, RSTART + RLENGTH)
        last = substr(token, length(token))
        if (before !~ /[A-Za-z_]/) return 1
    }
    return 0
}

function start(s)
{
    rest = s
    last = ""
}

function value(s)
{
    gsub(/,/, "", s)
    return sprintf("%.15g", s)
}

function decimals(s)
{
    return s ~ /\./ ? length(s) - index(s, ".") : 0
}

# is_known: with as many decimals, at least
function is_known(s)
{
    return value(s) in known && known[value(s)] >= decimals(s)
}

function note(s)
{
    start(s)
    while (next_number())
        if (!is_known(token)) known[value(token)] = decimals(token)
}

function is_equation(s)
{
    gsub(/floor|sqrt| x /, "", s)
    return s ~ / = / && s !~ /[^-0-9,.+*\/()^= ]/
}

function equation(s, n,    part, parts, i)
{
    parts = split(s, part, / = /)
    for (i = 1; i < parts; i++) {
        start(part[i])
        while (next_number())
            if (length(token) > 1 && !(value(token) in constant) && !is_known(token))
                print place[n] ": " s ": where is " token " from?"
        gsub(/,/, "", part[i])
        gsub(/ x /, " * ", part[i])
        gsub(/floor/, "int", part[i])
        printf "check(\"%s: %s\", %s, \"%s\")\n", place[n], s, part[i], part[parts] >equations
    }
    note(part[parts])
}

# The equations of a line; what it leaves in text[n] is the text outside of code.
function take_code(n,    i, piece, pieces, plain)
{
    pieces = split(text[n], piece, /`/)
    if (pieces && pieces % 2 == 0) print place[n] ": code that goes on in the next line"
    for (i = 1; i <= pieces; i++)
        if (i % 2) plain = plain piece[i] " "
        else if (is_equation(piece[i])) equation(piece[i], n)
    text[n] = plain
}

END {
    for (n = 1; n <= lines; n++) take_code(n)
    for (n = 1; n <= lines; n++) {
        s = text[n]
        gsub(/\]\([^)]*\)/, "]", s)
        gsub(/8800 GTX|GTX [0-9]+|cc [0-9.]+(, [0-9.]+)*|[Ll]ab [0-9]/, "", s)
        sub(/^(#+ | *)[0-9]+\. /, "", s)
        start(s)
        while (next_number())
            if ((length(token) > 1 || after ~ units) && !is_known(token))
                print place[n] ": " token ": neither shown by a command nor worked out"
    }
}
