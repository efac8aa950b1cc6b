/* SPDX-License-Identifier: MIT */
#include "base/side.h"

const char *side_name(Side side) {
    return side == SIDE_DEV ? "dev" : "base";
}
