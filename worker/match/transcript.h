/* SPDX-License-Identifier: MIT */
/* What was said lately between the runner and one process of an engine, kept in little memory, so
 * that a fault can be looked into afterwards. Pure: no process, no file. */
#ifndef MATCH_TRANSCRIPT_H
#define MATCH_TRANSCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum {
    TRANSCRIPT_LINES = 200,     /* Of the dialogue, both ways together. */
    TRANSCRIPT_COMPLAINTS = 40, /* Of standard error. */
    /* Bytes that are kept of a line: of longer ones the start and the end. A position needs more
     * than an answer. All bounds together: about 20 KB a process. */
    TRANSCRIPT_TOLD_MAX = 176,
    TRANSCRIPT_HEARD_MAX = 88
};

typedef enum {
    TRANSCRIPT_TOLD,     /* To the engine. */
    TRANSCRIPT_SAID,     /* By it, on standard output. */
    TRANSCRIPT_COMPLAINT /* On standard error. */
} TranscriptKind;

/* Lines in the order in which they came; the oldest go first. All zero is empty. */
typedef struct {
    char *bytes;
    size_t capacity;
    size_t start; /* Of the oldest line. */
    size_t used;
    int count;
} LineRing;

/* The standard error has lines of its own: a flood there leaves the dialogue alone. All zero is
 * empty. */
typedef struct {
    LineRing dialogue;
    LineRing complaints;
} Transcript;

/* when_ns: uv_hrtime when it was written or read. */
void transcript_note(Transcript *transcript, TranscriptKind kind, const char *line, size_t length,
                     uint64_t when_ns);

/* Appends a line for each line: seconds since origin_ns, '>', '<' or '!' for the kind, and the text
 * with everything but printable ASCII as \xNN. A note in parentheses stands between the dialogue
 * and standard error. */
void transcript_write(const Transcript *transcript, uint64_t origin_ns, Text *out);

/* Appends what must not disturb a terminal or a file: printable ASCII as it is, other bytes as
 * \xNN. */
void transcript_add_harmless(Text *out, const char *bytes, size_t length);

void transcript_free(Transcript *transcript);

#endif
