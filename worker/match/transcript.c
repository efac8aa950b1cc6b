/* SPDX-License-Identifier: MIT */
#include "match/transcript.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

/* Stands for the part of a line that was left out. */
static const char GAP[] = " [...] ";

/* Writes the text, or its start and end with GAP between them; at most `most` bytes. */
static size_t cut(const char *text, size_t length, size_t most, char out[TRANSCRIPT_TOLD_MAX]) {
    if (length <= most) {
        memcpy(out, text, length);
        return length;
    }
    size_t gap = strlen(GAP);
    size_t tail = (most - gap) / 3;
    size_t head = most - gap - tail;
    memcpy(out, text, head);
    memcpy(out + head, GAP, gap);
    memcpy(out + head + gap, text + length - tail, tail);
    return most;
}

/* Puts the line in the place of the oldest of `lines`. */
static void ring_add(TranscriptRing *ring, size_t lines, TranscriptKind kind, const char *text,
                     size_t length, uint64_t when_ns) {
    if (ring->lines == NULL)
        ring->lines = mem_calloc(lines, sizeof *ring->lines);
    TranscriptLine *line = &ring->lines[ring->added++ % lines];
    free(line->text);
    *line = (TranscriptLine){
        .text = mem_alloc(length + 1), .length = (int)length, .kind = kind, .when_ns = when_ns};
    memcpy(line->text, text, length);
}

void transcript_note(Transcript *transcript, TranscriptKind kind, const char *line, size_t length,
                     uint64_t when_ns) {
    char kept[TRANSCRIPT_TOLD_MAX];
    size_t most = kind == TRANSCRIPT_TOLD ? TRANSCRIPT_TOLD_MAX : TRANSCRIPT_HEARD_MAX;
    size_t left = cut(line, length, most, kept);
    if (kind == TRANSCRIPT_COMPLAINT)
        ring_add(&transcript->complaints, TRANSCRIPT_COMPLAINTS, kind, kept, left, when_ns);
    else
        ring_add(&transcript->dialogue, TRANSCRIPT_LINES, kind, kept, left, when_ns);
}

void transcript_add_harmless(Text *out, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c >= 0x20 && c < 0x7f)
            text_add_char(out, (char)c);
        else
            text_addf(out, "\\x%02x", c);
    }
}

static void write_ring(const TranscriptRing *ring, size_t lines, uint64_t origin_ns, Text *out) {
    static const char MARKS[] = {
        [TRANSCRIPT_TOLD] = '>', [TRANSCRIPT_SAID] = '<', [TRANSCRIPT_COMPLAINT] = '!'};
    for (size_t i = ring->added > lines ? ring->added - lines : 0; i < ring->added; i++) {
        const TranscriptLine *line = &ring->lines[i % lines];
        double us =
            line->when_ns > origin_ns ? (double)((line->when_ns - origin_ns) / CLOCK_NS_PER_US) : 0;
        text_addf(out, "%12.6f %c ", us / 1e6, MARKS[line->kind]);
        transcript_add_harmless(out, line->text, (size_t)line->length);
        text_add_char(out, '\n');
    }
}

void transcript_write(const Transcript *transcript, uint64_t origin_ns, Text *out) {
    write_ring(&transcript->dialogue, TRANSCRIPT_LINES, origin_ns, out);
    if (transcript->complaints.added > 0)
        text_add(out, "(its last lines on standard error)\n");
    write_ring(&transcript->complaints, TRANSCRIPT_COMPLAINTS, origin_ns, out);
}

static void free_ring(TranscriptRing *ring, size_t lines) {
    for (size_t i = 0; i < lines && i < ring->added; i++)
        free(ring->lines[i].text);
    free(ring->lines);
}

void transcript_free(Transcript *transcript) {
    free_ring(&transcript->dialogue, TRANSCRIPT_LINES);
    free_ring(&transcript->complaints, TRANSCRIPT_COMPLAINTS);
    *transcript = (Transcript){0};
}
