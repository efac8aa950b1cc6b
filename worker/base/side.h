/* SPDX-License-Identifier: MIT */
/* The two engines of a match or of a test. Also used as an index. */
#ifndef BASE_SIDE_H
#define BASE_SIDE_H

typedef enum { SIDE_DEV, SIDE_BASE, SIDE_COUNT } Side;

/* "dev", "base": the side's name in records and in messages. */
const char *side_name(Side side);

#endif
