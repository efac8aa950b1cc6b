#include "report/html.h"

#include <stddef.h>
#include <string.h>

/* ---- Text from elsewhere ---- */

/* Bytes of the UTF-8 character at s, 0 when there is none (overlong forms and surrogates are none).
 */
static size_t utf8_length(const unsigned char *s) {
    static const struct {
        unsigned char mask, lead;
        size_t length;
        unsigned least;
    } FORMS[] = {{0x80, 0x00, 1, 0},
                 {0xE0, 0xC0, 2, 0x80},
                 {0xF0, 0xE0, 3, 0x800},
                 {0xF8, 0xF0, 4, 0x10000}};
    for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
        if ((s[0] & FORMS[i].mask) != FORMS[i].lead)
            continue;
        unsigned code = s[0] & (unsigned char)~FORMS[i].mask;
        for (size_t k = 1; k < FORMS[i].length; k++) {
            if ((s[k] & 0xC0) != 0x80)
                return 0;
            code = code << 6 | (s[k] & 0x3F);
        }
        bool surrogate = code >= 0xD800 && code <= 0xDFFF;
        return code < FORMS[i].least || surrogate || code > 0x10FFFF ? 0 : FORMS[i].length;
    }
    return 0;
}

void html_add(Text *out, const char *text) {
    for (const char *c = text; *c;) {
        size_t length = utf8_length((const unsigned char *)c);
        bool control =
            length == 1 && ((unsigned char)*c < ' ' || *c == 0x7f) && !strchr("\n\t", *c);
        if (length == 0 || control)
            text_add(out, "\xEF\xBF\xBD");
        else if (strchr("&<>\"'", *c))
            text_addf(out, "&#%d;", *c);
        else
            text_add_bytes(out, c, length);
        c += length ? length : 1;
    }
}

void markdown_add(Text *out, const char *text) {
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            text_add_char(out, ' ');
            continue;
        }
        if (*c == '<' || *c == '>' || *c == '&') {
            text_addf(out, "&#%d;", *c);
            continue;
        }
        if (strchr("\\`*_{}[]|~$!#", *c))
            text_add_char(out, '\\');
        text_add_char(out, *c);
    }
}

/* ---- The frame ---- */

/* Colours are pairs of a light and a dark theme; text has a contrast of 4.5 at least on both. */
static const char STYLE[] =
    ":root{color-scheme:light dark;--ink:#1b2126;--muted:#55606a;--paper:#ffffff;--card:#f4f6f8;"
    "--line:#d3d9df;--dev:#1a66a8;--base:#8a929a;--good:#17703f;--bad:#b0302a;--warn:#8a5a00;"
    "--band:#1a66a826;--goodbg:#e3f3ea;--badbg:#fbe9e7;--openbg:#eceff2}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6eaee;--muted:#a2adb7;--paper:#14181c;"
    "--card:#1d2328;--line:#38424b;--dev:#6db3f2;--base:#77828c;--good:#63cf92;--bad:#ff8a80;"
    "--warn:#f0b94d;--band:#6db3f233;--goodbg:#16352500;--goodbg:#173526;--badbg:#432220;"
    "--openbg:#2a3238}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\n"
    "main{max-width:1080px;margin:0 auto;padding:24px 16px 48px}\n"
    "h1{font-size:1.5rem;line-height:1.25;margin:0 0 4px;overflow-wrap:anywhere}\n"
    "h2{font-size:1.05rem;margin:0 0 10px}\n"
    "p{margin:0 0 10px}a{color:var(--dev)}small{color:var(--muted)}\n"
    ":focus-visible{outline:3px solid var(--dev);outline-offset:2px}\n"
    "section{background:var(--card);border:1px solid var(--line);border-radius:10px;"
    "padding:16px;margin:16px 0 0;min-width:0}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "th,td{text-align:left;padding:6px 12px 6px 0;border-bottom:1px solid var(--line);"
    "vertical-align:top;overflow-wrap:anywhere}\n"
    "tbody tr:last-child>*{border-bottom:0}thead th{color:var(--muted);font-weight:600;"
    "font-size:.85rem}tbody th{font-weight:600}\n"
    "td.number,th.number{text-align:right;white-space:nowrap}\n"
    ".fault{color:var(--bad);font-weight:600}\n"
    ".compare td.elo{white-space:nowrap}.compare .bar{width:34%;min-width:110px}\n"
    ".compare th.bar{white-space:nowrap}.compare th.bar span{display:inline-block;width:33.3%;"
    "text-align:center}.compare th.bar span:first-child{text-align:left}"
    ".compare th.bar span:last-child{text-align:right}\n"
    ".compare td.wide{white-space:nowrap}.compare td.fault{white-space:normal}\n"
    ".compare .folded{display:none;font-weight:400}\n"
    ".interval{display:block;margin-top:2px;overflow:visible}.interval .zero{stroke:var(--muted);"
    "stroke-dasharray:2 2}.interval .range{stroke-width:4;stroke-linecap:round}\n"
    ".interval.good .range{stroke:var(--good)}.interval.good circle{fill:var(--good)}\n"
    ".interval.bad .range{stroke:var(--bad)}.interval.bad circle{fill:var(--bad)}\n"
    ".interval.open .range{stroke:var(--base)}.interval.open circle{fill:var(--ink)}\n"
    "@media(max-width:760px){.compare .wide{display:none}.compare .folded{display:block}}\n";

void html_begin(Text *out, const char *title) {
    text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>");
    html_add(out, title);
    text_addf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", STYLE);
}

void html_end(Text *out) {
    text_add(out, "</main>\n</body>\n</html>\n");
}
