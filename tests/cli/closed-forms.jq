# What binds a workload, from its counts and the machine alone: bounds of the kernels' time in nanoseconds, with the sum in words.
# $machine is `config show --json`, $result a result of `run`. For closed-forms.sh.

def grouped: tostring | [while(. != ""; .[:-3]) | .[-3:]] | reverse | join(",");
def mhz: . / 1000 | tostring + " MHz";

# Every instruction holds the issue port of its warp's scheduler, again for each pass of a bank conflict; at best all ports have equally much to do.
def issue:
    ([$result.kernels[] | .stalls.issued, .shared.replay_cycles] | add) as $cycles
    | ($machine.sm.count * $machine.sm.schedulers) as $ports
    | {by: "issue", ns: ($cycles / $ports / $machine.sm.khz * 1e6),
       words: "\($cycles | grouped) issue cycles on \($ports) ports at \($machine.sm.khz | mhz)"};

# The chips move so many bytes at the most.
def peak: $machine.dram | .khz * .data_rate * .bus_bytes * $machine.partition.count / 1e6;
def dram:
    $result.total.dram.bytes as $bytes
    | {by: "DRAM", ns: ($bytes / peak), words: "\($bytes | grouped) bytes at \(peak * 10 | round / 10) GB/s"};

# Data of writes pass the raster-output units of `n` partitions; masked ones, of 32 bytes, may pass more slowly.
def rops(n):
    $machine.partition as $p
    | ($p.rop_masked_bytes // $p.rop_bytes) as $masked_width
    | ($result.total.dram.masked_writes * 32) as $masked
    | ([$result.total.dram.written_bytes - $masked, 0] | max) as $whole
    | {ns: (($masked / $masked_width + $whole / $p.rop_bytes) / n / $machine.icnt.khz * 1e6),
       words: "\(if $masked > 0 then "\($masked | grouped) masked bytes, \($masked_width) a clock" else "\($whole | grouped) bytes, \($p.rop_bytes) a clock" end), in \(n) partition\(if n == 1 then "" else "s" end) at \($machine.icnt.khz | mhz)"};
def rop: rops($machine.partition.count) + {by: "raster-output units"};
def camping: rops(1) + {by: "one partition"};

# Of several the slowest.
def slowest(bounds): [bounds] | max_by(.ns);

# Latencies: shader cycles of a step, as the sum of its parts.
def parts(list): {by: "latency", cycles: ([list] | add), words: ([list | . * 10 | round / 10 | tostring] | join(" + "))};
def dram_cycles: . / $machine.dram.khz * $machine.sm.khz;

# Never faster than any of these.
def floor_ns: [issue.ns, dram.ns, rop.ns] | max;
def simulated_ns: $result.total.time_us * 1000;
