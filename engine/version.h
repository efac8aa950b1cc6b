/* SPDX-License-Identifier: MIT */
/* The one place that holds the version; configure.ac reads it from here. */
#ifndef VERSION_H
#define VERSION_H

#define REDUCTIO_VERSION "0.1.0"

#endif
