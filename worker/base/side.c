/* SPDX-License-Identifier: MIT */
#include "base/side.h"

const char *side_name(Side side) {
    return side == SIDE_DEV ? "dev" : "base";
}

Side side_other(Side side) {
    return side == SIDE_DEV ? SIDE_BASE : SIDE_DEV;
}
