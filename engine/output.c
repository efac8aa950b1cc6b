/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <stdarg.h>

enum { FAULT_MAX = 640 };

void output_fault(Output *output, const char *format, ...) {
    char text[FAULT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* The text may quote input, and input may hold anything. */
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c >= 127)
            *c = '?';
    output->failed = true;
    if (output->arguments)
        fprintf(stderr, "reductio: %s\n", text);
    else
        fprintf(output->file, "info string %s\n", text);
    fflush(output->file);
}
