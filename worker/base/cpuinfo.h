/* SPDX-License-Identifier: MIT */
/* The CPUs as the system describes them. */
#ifndef BASE_CPUINFO_H
#define BASE_CPUINFO_H

#include <stdbool.h>

#include "base/text.h"

/* Appends lines "key : value" about each CPU, in the form and with the keys of Linux's
 * /proc/cpuinfo (proc(5)). Other systems tell only "model name" and "cpu MHz". False when the
 * system does not tell. */
bool cpuinfo_read(Text *out);

#endif
