/* SPDX-License-Identifier: MIT */
#include "match/transcript.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

/* The memory of a ring: at first enough for full rings of lines of USUAL_LINE bytes, which usually
 * suffices; later more by pages of GROWTH bytes. Memory that is not needed is not touched. */
enum { USUAL_LINE = 96, GROWTH = 4096 };

/* Stands for the part of a line that was left out. */
static const char GAP[] = " [...] ";

/* The head of each line in a ring, in eight bytes: time in microseconds, kind and length. */
typedef uint64_t LineHead;

enum { LENGTH_BITS = 12, KIND_BITS = 2 };

static LineHead make_head(uint64_t when_ns, size_t length, TranscriptKind kind) {
    return (when_ns / CLOCK_NS_PER_US) << (LENGTH_BITS + KIND_BITS) |
           (uint64_t)kind << LENGTH_BITS | length;
}

static size_t head_length(LineHead head) {
    return head & ((1U << LENGTH_BITS) - 1);
}

static TranscriptKind head_kind(LineHead head) {
    return (TranscriptKind)(head >> LENGTH_BITS & ((1U << KIND_BITS) - 1));
}

static uint64_t head_when_us(LineHead head) {
    return head >> (LENGTH_BITS + KIND_BITS);
}

/* ---- The ring: lines of any length, one behind the other, around the end of the memory ---- */

static void ring_get(const LineRing *ring, size_t at, void *out, size_t length) {
    size_t first = ring->capacity - at;
    if (first > length)
        first = length;
    memcpy(out, ring->bytes + at, first);
    memcpy((char *)out + first, ring->bytes, length - first);
}

static void ring_put(LineRing *ring, const void *bytes, size_t length) {
    if (length == 0)
        return;
    size_t at = (ring->start + ring->used) % ring->capacity;
    size_t first = ring->capacity - at;
    if (first > length)
        first = length;
    memcpy(ring->bytes + at, bytes, first);
    memcpy(ring->bytes, (const char *)bytes + first, length - first);
    ring->used += length;
}

static void ring_drop_oldest(LineRing *ring) {
    LineHead head;
    ring_get(ring, ring->start, &head, sizeof head);
    size_t length = sizeof head + head_length(head);
    ring->start = (ring->start + length) % ring->capacity;
    ring->used -= length;
    ring->count--;
}

static void ring_make_room(LineRing *ring, int lines, size_t length) {
    if (ring->capacity - ring->used >= length)
        return;
    size_t capacity = ring->capacity > 0 ? ring->capacity : (size_t)lines * USUAL_LINE;
    while (capacity - ring->used < length)
        capacity += GROWTH;
    char *bytes = mem_alloc(capacity);
    if (ring->used > 0)
        ring_get(ring, ring->start, bytes, ring->used);
    free(ring->bytes);
    ring->bytes = bytes;
    ring->capacity = capacity;
    ring->start = 0;
}

static void ring_add(LineRing *ring, int lines, LineHead head, const char *text) {
    if (ring->count == lines)
        ring_drop_oldest(ring);
    ring_make_room(ring, lines, sizeof head + head_length(head));
    ring_put(ring, &head, sizeof head);
    ring_put(ring, text, head_length(head));
    ring->count++;
}

/* ---- Lines ---- */

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

void transcript_note(Transcript *transcript, TranscriptKind kind, const char *line, size_t length,
                     uint64_t when_ns) {
    char kept[TRANSCRIPT_TOLD_MAX];
    size_t most = kind == TRANSCRIPT_TOLD ? TRANSCRIPT_TOLD_MAX : TRANSCRIPT_HEARD_MAX;
    size_t left = cut(line, length, most, kept);
    LineHead head = make_head(when_ns, left, kind);
    if (kind == TRANSCRIPT_COMPLAINT)
        ring_add(&transcript->complaints, TRANSCRIPT_COMPLAINTS, head, kept);
    else
        ring_add(&transcript->dialogue, TRANSCRIPT_LINES, head, kept);
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

static void write_ring(const LineRing *ring, uint64_t origin_ns, Text *out) {
    static const char MARKS[] = {
        [TRANSCRIPT_TOLD] = '>', [TRANSCRIPT_SAID] = '<', [TRANSCRIPT_COMPLAINT] = '!'};
    size_t at = ring->start;
    for (int i = 0; i < ring->count; i++) {
        LineHead head;
        char text[TRANSCRIPT_TOLD_MAX];
        ring_get(ring, at, &head, sizeof head);
        size_t length = head_length(head);
        ring_get(ring, (at + sizeof head) % ring->capacity, text, length);
        at = (at + sizeof head + length) % ring->capacity;
        int64_t us = (int64_t)head_when_us(head) - (int64_t)(origin_ns / CLOCK_NS_PER_US);
        text_addf(out, "%12.6f %c ", us > 0 ? (double)us / 1e6 : 0.0, MARKS[head_kind(head)]);
        transcript_add_harmless(out, text, length);
        text_add_char(out, '\n');
    }
}

void transcript_write(const Transcript *transcript, uint64_t origin_ns, Text *out) {
    write_ring(&transcript->dialogue, origin_ns, out);
    if (transcript->complaints.count > 0)
        text_add(out, "(its last lines on standard error)\n");
    write_ring(&transcript->complaints, origin_ns, out);
}

void transcript_free(Transcript *transcript) {
    free(transcript->dialogue.bytes);
    free(transcript->complaints.bytes);
    *transcript = (Transcript){0};
}
