/* SPDX-License-Identifier: MIT */
#include "tune/write.h"

/* A field of the table: its name and where its weights stand. */
typedef struct {
    const char *name;
    int first, rows, length; /* rows 0: a row; length 0: one weight */
} Field;

#define FIELD_AT(name) ((int)(offsetof(EvalWeights, name) / sizeof(EvalScore)))
#define FIELD_ONE(name) {#name, FIELD_AT(name), 0, 0},
#define FIELD_ROW(name, length) {#name, FIELD_AT(name), 0, length},
#define FIELD_GRID(name, rows, length) {#name, FIELD_AT(name), rows, length},
static const Field fields[] = {EVAL_WEIGHT_FIELDS(FIELD_ONE, FIELD_ROW, FIELD_GRID)};

static void write_pair(EvalScore s, FILE *out) {
    fprintf(out, "S(%d, %d)", eval_mg(s), eval_eg(s));
}

/* Eight a line: a rank of the board. */
static void write_row(const EvalScore *row, int length, int indent, FILE *out) {
    enum { A_LINE = 8 };
    for (int i = 0; i < length; i++) {
        if (i % A_LINE == 0)
            fprintf(out, "%s%*s", i ? "\n" : "", indent, "");
        else
            fputc(' ', out);
        write_pair(row[i], out);
        fputc(',', out);
    }
    fputc('\n', out);
}

static void write_field(const Field *field, const EvalScore *all, FILE *out) {
    const EvalScore *first = all + field->first;
    fprintf(out, "    .%s = ", field->name);
    if (field->length == 0) {
        write_pair(*first, out);
        fputs(",\n", out);
        return;
    }
    fputs("{\n", out);
    if (field->rows == 0)
        write_row(first, field->length, 8, out);
    for (int r = 0; r < field->rows; r++) {
        fputs("        {\n", out);
        write_row(first + r * field->length, field->length, 12, out);
        fputs("        },\n", out);
    }
    fputs("    },\n", out);
}

void write_weights(const EvalWeights *weights, FILE *out) {
    fputs("/* SPDX-License-Identifier: MIT */\n"
          "/* The weights, written by the tuner: README.md says from what. */\n"
          "#include \"eval/weights.h\"\n\n"
          "#define S(mg, eg) EVAL_PAIR(mg, eg)\n\n"
          "/* clang-format off */\n" WRITE_WEIGHTS_MARK,
          out);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        write_field(&fields[i], (const EvalScore *)weights, out);
    fputs("};\n", out);
}

/* --- the network --- */

/* A row of numbers in braces, as many in a line as fit. */
static void write_numbers(const int16_t *row, FILE *out) {
    enum { LINE_MAX = 100 };
    char number[16];
    int column = fprintf(out, "{");
    for (int i = 0; i < NETWORK_HIDDEN; i++) {
        int length =
            snprintf(number, sizeof number, "%d%s", row[i], i + 1 < NETWORK_HIDDEN ? "," : "},");
        if (column + length > LINE_MAX) {
            fputc('\n', out);
            column = 0;
        }
        fputs(number, out);
        column += length;
    }
    fputc('\n', out);
}

void write_network(const Network *network, FILE *out) {
    fputs("/* SPDX-License-Identifier: MIT */\n"
          "/* The network, written by the tuner: README.md says from what. */\n"
          "#include \"eval/network.h\"\n\n"
          "/* clang-format off */\n" WRITE_NETWORK_MARK ".input = {\n",
          out);
    for (int n = 0; n < NETWORK_INPUTS; n++)
        write_numbers(network->input[n], out);
    fputs("},\n.bias = ", out);
    write_numbers(network->bias, out);
    fputs(".output = {\n", out);
    for (int o = 0; o < NETWORK_OUTPUTS; o++) {
        fputs("{\n", out);
        for (int v = 0; v < COLOR_COUNT; v++)
            write_numbers(network->output[o][v], out);
        fputs("},\n", out);
    }
    fputs("},\n.output_bias = {", out);
    for (int o = 0; o < NETWORK_OUTPUTS; o++)
        fprintf(out, "%s%d", o ? ", " : "", network->output_bias[o]);
    fputs("},\n.share = {", out);
    for (int o = 0; o < NETWORK_OUTPUTS; o++)
        fprintf(out, "%s%d", o ? ", " : "", network->share[o]);
    fputs("},\n};\n", out);
}
