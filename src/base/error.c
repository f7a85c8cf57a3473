#include "base/error.h"

/* clang-format off */
G_DEFINE_QUARK(g80sim-error-quark, g80sim_error)
/* clang-format on */
