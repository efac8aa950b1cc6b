/* SPDX-License-Identifier: MIT */
#include "words.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The characters between words. '\r' is one because Windows ends lines with it. */
static const char BLANKS[] = " \t\r\n\v\f";

char *words_next(char **rest) {
    char *word = *rest + strspn(*rest, BLANKS);
    if (*word == '\0') {
        *rest = word;
        return NULL;
    }
    char *end = word + strcspn(word, BLANKS);
    *rest = *end == '\0' ? end : end + 1;
    *end = '\0';
    return word;
}

char *words_join(char **rest, const char *end) {
    char *joined = *rest + strspn(*rest, BLANKS), *to = joined;
    for (char *word; (word = words_next(rest)) != NULL;) {
        if (strcmp(word, end) == 0)
            break;
        size_t length = strlen(word);
        if (to != joined)
            *to++ = ' ';
        memmove(to, word, length);
        to += length;
    }
    *to = '\0';
    return joined;
}

char *words_rest(char *rest) {
    char *text = rest + strspn(rest, BLANKS);
    size_t length = strlen(text);
    while (length > 0 && strchr(BLANKS, text[length - 1]) != NULL)
        length--;
    text[length] = '\0';
    return text;
}

bool words_number(const char *text, int64_t *value) {
    if (text == NULL)
        return false;
    const char *digits = text + (*text == '-');
    size_t count = strspn(digits, "0123456789");
    if (count == 0 || digits[count] != '\0')
        return false;
    *value = strtoll(text, NULL, 10); /* saturates */
    return true;
}

bool words_number_within(const char *text, int low, int high, int *value) {
    int64_t number;
    if (!words_number(text, &number) || number < low || number > high)
        return false;
    *value = (int)number;
    return true;
}
