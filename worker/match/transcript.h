/* SPDX-License-Identifier: MIT */
/* The latest lines between the runner and one process of an engine, kept in little memory, so that
 * a fault can be looked into afterwards. Pure: no process, no file. */
#ifndef MATCH_TRANSCRIPT_H
#define MATCH_TRANSCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum {
    TRANSCRIPT_LINES = 200,     /* Lines of the dialogue, both directions together. */
    TRANSCRIPT_COMPLAINTS = 40, /* Lines of standard error. */
    /* Bytes that are kept of a line; a longer line keeps its start and its end. Lines to the
     * engine, such as positions, need more room than answers. All limits together: about 20 KB a
     * process. */
    TRANSCRIPT_TOLD_MAX = 176,
    TRANSCRIPT_HEARD_MAX = 88
};

typedef enum {
    TRANSCRIPT_TOLD,     /* To the engine. */
    TRANSCRIPT_SAID,     /* By the engine, on standard output. */
    TRANSCRIPT_COMPLAINT /* By the engine, on standard error. */
} TranscriptKind;

/* One line. The text is allocated. */
typedef struct {
    char *text; /* May have bytes of 0. */
    int length;
    TranscriptKind kind;
    uint64_t when_ns; /* By uv_hrtime. */
} TranscriptLine;

/* The latest lines: line n is at place n modulo the ring's size. All zero is empty. */
typedef struct {
    TranscriptLine *lines;
    size_t added; /* Lines so far, also those that are gone. */
} TranscriptRing;

/* Standard error has a ring of its own, so that a flood of messages leaves the dialogue alone. All
 * zero is empty. */
typedef struct {
    TranscriptRing dialogue;
    TranscriptRing complaints;
} Transcript;

/* Adds a line. when_ns: the time of the write or read, by uv_hrtime. */
void transcript_note(Transcript *transcript, TranscriptKind kind, const char *line, size_t length,
                     uint64_t when_ns);

/* Appends a line for each kept line: seconds since origin_ns, '>', '<' or '!' for the kind, and the
 * text with all bytes but printable ASCII as \xNN. A note in parentheses stands between the
 * dialogue and standard error. */
void transcript_write(const Transcript *transcript, uint64_t origin_ns, Text *out);

/* Appends bytes so that they cannot disturb a terminal or a file: printable ASCII unchanged, other
 * bytes as \xNN. */
void transcript_add_harmless(Text *out, const char *bytes, size_t length);

void transcript_free(Transcript *transcript);

#endif
