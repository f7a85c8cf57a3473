#include "cli/shipped.h"

#include <glib.h>

const char *shipped_root(void)
{
    const char *set = g_getenv("G80SIM_DATADIR");
    if (set && *set) return set;
    return g_file_test(G80SIM_DATADIR "/configs", G_FILE_TEST_IS_DIR) ? G80SIM_DATADIR : G80SIM_SOURCE_DIR;
}
