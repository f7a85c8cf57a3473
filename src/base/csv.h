#pragma once
/*
 * Reads comma-separated values as RFC 4180 has them: quoted fields, `""` for a quote inside one, line ends in quotes, CRLF or LF. Beyond
 * it a byte order mark, blank lines and lines that begin with `#` are skipped, and blanks around a field belong to no field unless they
 * are quoted. GLib has no such reader. What the columns mean is for the caller to say.
 */
#include <stddef.h>

#include "base/faults.h"

typedef struct {
    int line;    /* on which it begins, from 1 */
    bool broken; /* it has a fault, which is reported: its cells are a guess */
    unsigned n;
    char **cells; /* n of them and NULL */
} CsvRecord;

/* The records of `text` (UTF-8, `length` bytes, with a NUL behind them), the header among them: of CsvRecord; free with
 * g_ptr_array_unref. Faults are added as `file:line: ...`: bytes that are no text, a quote that is not closed, text beside a quoted
 * field, a quote or a CR alone in one that is not quoted. */
GPtrArray *csv_parse(const char *text, size_t length, Faults *faults);
