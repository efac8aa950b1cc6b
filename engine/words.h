/* SPDX-License-Identifier: MIT */
/* Commands are lines of words: cutting them, and reading numbers. */
#ifndef WORDS_H
#define WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* Cuts the next word off *rest, in place, and moves *rest behind it. NULL at the end. */
char *words_next(char **rest);

/* Joins the words of *rest before the word `end` by single blanks, in place, and moves *rest behind
 * `end`. */
char *words_join(char **rest, const char *end);

/* The text that is left, in place, with its inner blanks as they are and none at its ends. */
char *words_rest(char *rest);

/* Reads a whole number, with a minus sign or without. A number beyond int64_t becomes the nearer
 * end of its range. False, and *value untouched, when the text is no number or NULL. */
bool words_number(const char *text, int64_t *value);

/* The same for a number from `low` to `high`; false for any other. */
bool words_number_within(const char *text, int low, int high, int *value);

#endif
