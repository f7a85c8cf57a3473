#include "harness/board.h"

#include "harness/device.h"

static int attribute(cudaDeviceAttr which)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, 0) != cudaSuccess) value = 0;
    return value;
}

bool Board::find(Board *board, std::string *why_not)
{
    int n = 0;
    const cudaError_t code = cudaGetDeviceCount(&n);
    if (code != cudaSuccess || n == 0) {
        *why_not = code == cudaSuccess ? "no device" : cudaGetErrorString(code);
        return false;
    }
    cudaDeviceProp properties;
    CUDA(cudaGetDeviceProperties(&properties, 0));
    char pci[32] = "";
    CUDA(cudaDeviceGetPCIBusId(pci, sizeof pci, 0));
    board->name = properties.name;
    board->pci = pci;
    board->capability_major = properties.major;
    board->capability_minor = properties.minor;
    board->sms = properties.multiProcessorCount;
    board->l2_bytes = properties.l2CacheSize;
    board->memory_khz = attribute(cudaDevAttrMemoryClockRate);
    board->bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth);
    CUDA(cudaDriverGetVersion(&board->driver));
    CUDA(cudaRuntimeGetVersion(&board->runtime));
    return true;
}

bool board_is_there(Board *board)
{
    std::string why_not;
    if (Board::find(board, &why_not)) return true;
    fprintf(stderr, "measure: no CUDA device here (%s): nothing is measured\n", why_not.c_str());
    return false;
}

double Board::dram_peak() const
{
    return 2.0 * memory_khz * 1000 * bus_bits / 8;
}

double Board::l2_peak(double khz) const
{
    return 64.0 * sms * khz * 1000;
}

double Board::shared_peak(double khz) const
{
    return 128.0 * sms * khz * 1000;
}

double Board::issue_peak(double khz) const
{
    return 4.0 * sms * khz * 1000;
}

static std::string first_line(const std::string &command)
{
    FILE *pipe = popen(command.c_str(), "r");
    if (!pipe) return "";
    char line[512] = "";
    const bool read = fgets(line, sizeof line, pipe) != nullptr;
    const bool good = pclose(pipe) == 0;
    std::string text = read && good ? line : "";
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
        text.pop_back();
    return text;
}

std::string Board::smi(const char *fields) const
{
    const std::string query = std::string(" --query-gpu=") + fields + " --format=csv,noheader 2>/dev/null";
    std::string text = first_line("nvidia-smi --id=" + pci + query);
    if (text.empty()) text = first_line("nvidia-smi" + query); /* a virtual machine may number its devices in another way */
    return text.empty() ? "-" : text;
}
