/* SPDX-License-Identifier: MIT */
/* The one macro that C lacks. */
#ifndef BASE_COUNT_H
#define BASE_COUNT_H

/* Items of an array; not of a pointer to one. */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
