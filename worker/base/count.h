/* SPDX-License-Identifier: MIT */
/* The number of an array's items. */
#ifndef BASE_COUNT_H
#define BASE_COUNT_H

/* Only for arrays; a pointer to an item gives a wrong number. */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
