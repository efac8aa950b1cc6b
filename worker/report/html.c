/* SPDX-License-Identifier: MIT */
#include "report/html.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/clock.h"

/* ---- Text from elsewhere ---- */

/* The length of the word at `at`, up to a blank. */
static size_t word_length(const char *text) {
    return strcspn(text, " \t\n");
}

/* breaks: characters behind which a line may break; words of up to `whole` characters break only
 * where the page is narrow. */
static void add_escaped(Text *out, const char *text, const char *breaks, size_t whole) {
    const char *word_end = text;
    bool small = false;
    for (const char *c = text; *c;) {
        if (c >= word_end) {
            size_t word = word_length(c);
            small = word <= whole;
            word_end = c + (word > 0 ? word : 1);
        }
        size_t length = 1;
        if (strchr("&<>\"'", *c))
            text_addf(out, "&#%d;", *c);
        else
            length = text_add_visible_char(out, c, KEEP_LINES);
        if (strchr(breaks, *c))
            text_add(out, small ? "<wbr class=\"small\">" : "<wbr>");
        c += length;
    }
}

void html_add(Text *out, const char *text) {
    add_escaped(out, text, "", 0);
}

static const char BREAKS[] = ",;:/=_|";

void html_add_name(Text *out, const char *text) {
    add_escaped(out, text, BREAKS, 0);
}

void html_add_title(Text *out, const char *text) {
    enum { WORD_SMALL = 24 };
    add_escaped(out, text, BREAKS, WORD_SMALL);
}

void html_add_number_cell(Text *out, int64_t number) {
    text_add(out, "<td class=\"number\">");
    text_add_grouped(out, number);
    text_add(out, "</td>");
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

void markdown_add_address(Text *out, const char *address) {
    text_add_char(out, '<');
    for (const char *c = address; *c; c++)
        if ((unsigned char)*c > ' ' && strchr("<>|\\", *c) == NULL)
            text_add_char(out, *c);
    text_add_char(out, '>');
}

/* ---- The frame ---- */

/* Each colour is a pair for the light and the dark theme; text has a contrast of at least 4.5 in
 * both. */
static const char *const STYLE[] = {
    ":root{color-scheme:light dark; --ink:#1b2126; --muted:#55606a; --paper:#ffffff; "
    "--card:#f4f6f8; --line:#d3d9df; --dev:#1a66a8; --base:#8a929a; --good:#17703f; --bad:#b0302a; "
    "--warn:#8a5a00; --band:#1a66a826; --goodbg:#e3f3ea; --badbg:#fbe9e7; --openbg:#eceff2}\n",
    "@media(prefers-color-scheme:dark){:root{--ink:#e6eaee; --muted:#a2adb7; --paper:#14181c; "
    "--card:#1d2328; --line:#38424b; --dev:#6db3f2; --base:#77828c; --good:#63cf92; --bad:#ff8a80; "
    "--warn:#f0b94d; --band:#6db3f233; --goodbg:#173526; --badbg:#432220; --openbg:#2a3238}}\n",
    "*{box-sizing:border-box}\n",
    "body{margin:0; background:var(--paper); color:var(--ink); font:16px/1.5 "
    "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\n",
    "main{max-width:1080px; margin:0 auto; padding:24px 16px 48px}\n",
    "h1{font-size:1.5rem; line-height:1.25; margin:0 0 4px; overflow-wrap:anywhere}\n",
    "h2{font-size:1.05rem; margin:0 0 10px}\n",
    "p{margin:0 0 10px}\n",
    "a{color:var(--dev)}\n",
    "small{color:var(--muted)}\n",
    ":focus-visible{outline:3px solid var(--dev); outline-offset:2px}\n",
    "section{background:var(--card); border:1px solid var(--line); border-radius:10px; "
    "padding:16px; margin:16px 0 0; min-width:0}\n",
    "table{border-collapse:collapse; width:100%; table-layout:fixed; "
    "font-variant-numeric:tabular-nums}\n",
    "th,td{text-align:left; padding:6px 12px 6px 0; border-bottom:1px solid var(--line); "
    "vertical-align:top; overflow-wrap:anywhere}\n",
    "tbody tr:last-child>*{border-bottom:0}\n",
    "thead th{color:var(--muted); font-weight:600; font-size:.85rem}\n",
    "tbody th{font-weight:600}\n",
    "td.number,th.number{text-align:right; white-space:nowrap}\n",
    ".fault{color:var(--bad); font-weight:600}\n",
    ".compare th:nth-child(2){width:12em}\n",
    ".compare th.bar{width:22%}\n",
    ".compare th.wide{width:12.4em}\n",
    ".compare th.wide+th.wide{width:5em}\n",
    ".compare th.wide+th.wide+th.wide+th.wide{width:7em}\n",
    ".compare .chip{padding:0 10px; font-size:.85rem}\n",
    ".compare th.bar span{float:right}\n",
    ".compare th.bar span:first-child{float:left}\n",
    ".compare td.bar{padding-left:10px}\n",
    ".compare td.wide{white-space:nowrap}\n",
    ".compare td.fault{white-space:normal}\n",
    ".compare .folded{display:none; font-weight:400}\n",
    ".compare .tiny{display:none}\n",
    ".contents ul{columns:20em; padding-left:1.2em; margin:12px 0 0}\n",
    "h2.lab{margin-top:28px}\n",
    ".counted th:first-child{width:52%}\n",
    ".counted th .chip{font-size:.85rem}\n",
    ".interval{display:block; margin-top:2px; overflow:visible}\n",
    ".interval .claim{fill:var(--band)}\n"
    ".interval .zero{stroke:var(--muted); stroke-dasharray:2 2}\n",
    ".interval .range{stroke-width:4; stroke-linecap:round}\n",
    ".interval .arrow{overflow:visible}\n",
    ".interval.good .arrow{fill:var(--good)}\n",
    ".interval.bad .arrow{fill:var(--bad)}\n",
    ".interval.open .arrow{fill:var(--base)}\n",
    ".interval.good .range{stroke:var(--good)}\n",
    ".interval.good circle{fill:var(--good)}\n",
    ".interval.bad .range{stroke:var(--bad)}\n",
    ".interval.bad circle{fill:var(--bad)}\n",
    ".interval.open .range{stroke:var(--base)}\n",
    ".interval.open circle{fill:var(--ink)}\n",
    ".source{color:var(--muted); margin:0 0 10px; overflow-wrap:anywhere}\n",
    ".say{font-size:1.1rem; margin:0 0 14px}\n",
    ".chip{display:inline-block; border-radius:999px; padding:1px 12px; font-weight:600; "
    "font-size:.9rem}\n",
    ".chip.good{background:var(--goodbg); color:var(--good)}\n",
    ".chip.bad{background:var(--badbg); color:var(--bad)}\n",
    ".chip.open{background:var(--openbg); color:var(--ink)}\n",
    ".facts{display:grid; grid-template-columns:repeat(auto-fit,minmax(148px,1fr)); gap:12px; "
    "margin:0}\n",
    ".facts div{background:var(--card); border:1px solid var(--line); border-radius:10px; "
    "padding:10px 14px; min-width:0; container-type:inline-size}\n",
    ".facts dt{color:var(--muted); font-size:.85rem}\n",
    ".facts dd{margin:0; white-space:nowrap; font-size:clamp(.8rem,10.2cqi,1.35rem); "
    "font-weight:650; font-variant-numeric:tabular-nums; line-height:1.25}\n",
    ".facts small{display:block; white-space:normal; font-size:.8rem; font-weight:400}\n",
    ".columns{display:grid; grid-template-columns:minmax(0,1fr); gap:0 16px}\n",
    ".columns.loose{align-items:start}\n",
    "@media(min-width:900px){.columns{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}}\n",
    ".alert{border-color:var(--bad); background:var(--badbg)}\n",
    ".alert h2{color:var(--bad)}\n",
    ".alert p{margin:0}\n",
    ".chart{margin:0; display:grid; grid-template-columns:3.4em minmax(0,1fr); "
    "grid-template-rows:220px 1.5em 1.4em; font-size:.8rem; color:var(--muted); "
    "font-variant-numeric:tabular-nums; padding-right:2.6em}\n",
    ".chart .area{position:relative; border-left:1px solid var(--base); border-bottom:1px solid "
    "var(--base)}\n",
    ".chart svg{position:absolute; inset:0; width:100%; height:100%}\n",
    ".chart .ys{position:relative}\n",
    ".chart .ys span{position:absolute; right:6px; transform:translateY(-50%)}\n",
    ".chart .xs{position:relative; grid-column:2; margin-top:2px}\n",
    ".chart .xs span{position:absolute; transform:translateX(-50%)}\n",
    ".chart .xs span:first-child{transform:none}\n",
    ".chart .xname{grid-column:2; text-align:center}\n",
    ".chart .tag{position:absolute; left:100%; margin-left:5px; transform:translateY(-50%); "
    "font-weight:700}\n",
    ".tag.upper{color:var(--good)}\n",
    ".tag.lower{color:var(--bad)}\n",
    ".chart path,.chart line{vector-effect:non-scaling-stroke}\n",
    ".chart .line{fill:none; stroke:var(--dev); stroke-width:2; stroke-linejoin:round}\n",
    ".chart .band{fill:var(--band); stroke:none}\n",
    ".chart .hit{fill:transparent}\n",
    ".chart .hit:hover{fill:var(--band)}\n",
    "summary{cursor:pointer; font-size:.85rem; color:var(--muted)}\n",
    ".values{width:auto; margin-top:6px; font-size:.85rem}\n",
    ".values td,.values th{text-align:right; padding:1px 12px 1px 0; border:0; "
    "font-weight:400}\n",
    ".mark{stroke:var(--line); stroke-width:1}\n",
    ".mark.upper{stroke:var(--good); stroke-dasharray:6 4}\n",
    ".mark.lower{stroke:var(--bad); stroke-dasharray:6 4}\n",
    ".mark.zero{stroke:var(--base)}\n",
    ".chart .dot{position:absolute; width:9px; height:9px; margin:-4.5px; border-radius:50%; "
    "background:var(--dev)}\n",
    ".gauge{margin:26px 4px 14px; font-size:.85rem; color:var(--muted); "
    "font-variant-numeric:tabular-nums}\n",
    ".gauge .track{position:relative; height:14px; background:var(--openbg); border-radius:7px}\n",
    ".gauge i{position:absolute; top:0; height:100%}\n",
    ".gauge .good{background:var(--good)}\n",
    ".gauge .bad{background:var(--bad)}\n",
    ".gauge .zero{width:2px; top:-5px; height:24px; background:var(--base)}\n",
    ".gauge .dot{width:20px; height:20px; top:-3px; margin-left:-10px; border-radius:50%; "
    "background:var(--dev); border:3px solid var(--card)}\n",
    ".gauge .ends{display:flex; justify-content:space-between; margin-top:8px}\n",
    ".bars td,.bars th{padding:4px 10px 4px 0; border-bottom:0}\n",
    ".bars td.number:last-child,.bars th.number:last-child{padding-right:0}\n",
    ".bars thead th:first-child{width:32%}\n",
    ".bars.pairs thead th:first-child{width:5.2em}\n",
    ".bars thead .number{width:4.6em}\n",
    ".bars tbody th{font-weight:400}\n",
    ".hbar{display:block; margin-top:3px}\n",
    ".hbar .full{fill:var(--base)}\n",
    ".hbar.good .full{fill:var(--good)}\n",
    ".hbar.bad .full{fill:var(--bad)}\n",
    ".hbar .expected{stroke:var(--ink); stroke-width:2}\n",
    ".parts{margin:0 0 14px}\n",
    ".parts tbody th{font-weight:400}\n",
    ".parts th:first-child{width:46%}\n",
    ".parts:last-child{margin:0}\n",
    ".tuned th:first-child{width:30%}\n",
    ".folded{display:none}\n",
    ".note{display:block; font-weight:400}\n",
    "section>p:last-child{margin:8px 0 0}\n",
    ".plain th,.settings tbody th{font-weight:400; color:var(--muted)}\n",
    ".plain th{width:46%}\n",
    ".settings th:first-child{width:34%}\n",
    ".settings.origin th:first-child{width:28%}\n",
    ".origin td,.origin tbody th{font-size:.85rem}\n",
    ".flags th:first-child{width:56%}\n",
    "pre{margin:0 0 10px; padding:12px; background:var(--paper); border:1px solid var(--line); "
    "border-radius:6px; font:13px/1.5 ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace; "
    "white-space:break-spaces; overflow-wrap:anywhere}\n",
    "button{font:inherit; padding:6px 16px; border-radius:6px; border:1px solid var(--dev); "
    "background:var(--paper); color:var(--dev); cursor:pointer}\n",
    "button:hover{background:var(--openbg)}\n",
    ".colors thead th:first-child{width:24%}\n",
    ".games th:first-child{width:6.2em}\n",
    ".games th.number{width:4.2em}\n",
    ".games tbody th{font-weight:400}\n",
    ".games .open{border:0; padding:0; background:none; text-align:left; "
    "text-decoration:underline; "
    "text-decoration-color:var(--line); text-underline-offset:3px}\n",
    ".games .open:hover{text-decoration-color:currentColor}\n",
    ".games+button{margin-top:10px}\n",
    "select{font:inherit; padding:2px 6px; color:var(--ink); background:var(--paper); "
    "border:1px solid var(--base); border-radius:6px}\n",
    "dialog.game{width:min(900px,100vw - 16px); max-width:none; max-height:calc(100vh - 16px); "
    "padding:16px; border:1px solid var(--base); border-radius:10px; background:var(--paper); "
    "color:var(--ink)}\n",
    "dialog::backdrop{background:#0008}\n",
    ".play{display:grid; grid-template-columns:minmax(0,26rem) minmax(0,1fr); gap:12px 20px}\n",
    ".play p{margin:4px 0}\n",
    ".player{font-weight:600; overflow-wrap:anywhere}\n",
    ".board{display:grid; grid-template-columns:repeat(8,1fr); aspect-ratio:1; "
    "border:1px solid var(--base); container-type:inline-size; color:#1b2126}\n",
    ".board span{display:grid; place-items:center; aspect-ratio:1; font:10cqi/1 'DejaVu Sans',"
    "'Segoe UI Symbol','Apple Symbols','Noto Sans Symbols 2',sans-serif}\n",
    ".board .light{background:#f3ecdf}\n",
    ".board .dark{background:#c9b08f}\n",
    ".board .last{box-shadow:inset 0 0 0 3px #1a66a8}\n",
    ".controls{display:flex; flex-wrap:wrap; gap:6px; margin:8px 0}\n",
    ".controls button{flex:1 1 2.4em; padding:6px 0}\n",
    ".said{min-height:1.5em; font-variant-numeric:tabular-nums}\n",
    ".moves{position:relative; overflow-y:auto; max-height:31rem; display:grid; "
    "grid-template-columns:repeat(2,minmax(0,1fr)); gap:2px; align-content:start}\n",
    ".moves button{display:flex; flex-wrap:wrap; justify-content:space-between; gap:0 8px; "
    "border:0; padding:2px 8px; text-align:left; color:var(--ink)}\n",
    ".moves button[aria-current]{background:var(--goodbg)}\n",
    ".keys{margin:12px 0 0}\n",
    "@media(max-width:700px){.play{grid-template-columns:minmax(0,1fr)}.moves{max-height:12rem}}\n",
    ".sr{position:absolute; width:1px; height:1px; overflow:hidden; clip-path:inset(50%); "
    "white-space:nowrap}\n",
    "@media(max-width:760px){.parts .wide{display:none}.parts .folded{display:block}.parts "
    "th:first-child{width:58%}.parts.tuned th:first-child{width:46%}.parts tbody "
    "td{white-space:nowrap}}\n",
    "@media(min-width:761px){wbr.small{display:none}}\n",
    "@media print{section{break-inside:avoid}#copy,.order,.games+button{display:none}}\n",
    "@media(max-width:1040px){.compare .wide{display:none}.compare .folded{display:block}}\n",
    "@media(max-width:520px){.counted th:first-child{width:36%}.counted td,.counted "
    "th{font-size:.82rem; padding-right:4px}}\n",
    "@media(max-width:520px){.compare .elo{display:none}.compare .tiny{display:inline}.compare "
    "th.bar{width:42%}.bars thead th:first-child{width:42%}.bars thead "
    ".number{width:4.2em}.bars.pairs thead "
    ".number{width:5.2em}.flags "
    "td,.flags tbody th,.compare tbody th{font-size:.88rem}.games{font-size:.8rem}.games "
    "th:first-child{width:5.6em}.games th.number{width:4em}.games th,.games "
    "td{padding-right:8px}.games thead th{font-size:.78rem}}\n",
    /* On a phone a setting's name stands beside the value of both sides, or above two values. */
    "@media(max-width:520px){.settings tr,.flags tr{display:grid; "
    "grid-template-columns:minmax(0,1fr) minmax(0,1fr); border-bottom:1px solid var(--line)}"
    ".settings tr>*,.flags tr>*{border:0}.settings tr>:first-child,.flags "
    "tr>:first-child{width:auto}"
    ".settings thead th:first-child,.flags thead th:first-child{display:none}"
    ".settings tbody tr:last-child,.flags tbody tr:last-child{border:0}"
    ".settings tbody th,.flags tbody th{grid-column:1/-1; padding-bottom:0}"
    ".settings tr:has([colspan])>th{grid-column:1; padding-bottom:6px}"
    ".settings [colspan]{grid-column:2}}\n",
};

static void add_renewal(Text *out, int64_t seconds) {
    text_addf(out,
              "<noscript><meta http-equiv=\"refresh\" content=\"%" PRId64
              "\"></noscript>\n<script>\nsetInterval(function(){if(!document.querySelector("
              "'dialog[open]'))location.reload()},%" PRId64 ")\n</script>\n",
              seconds, seconds * CLOCK_MS_PER_SECOND);
}

void html_add_style(Text *out) {
    for (size_t i = 0; i < sizeof STYLE / sizeof *STYLE; i++)
        text_add(out, STYLE[i]);
}

void html_begin(Text *out, const char *title, int64_t renew_s) {
    text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
                  "name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<meta "
                  "name=\"referrer\" content=\"no-referrer\">\n<meta "
                  "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                  "'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>");
    html_add(out, title);
    text_add(out, "</title>\n<style>\n");
    html_add_style(out);
    text_add(out, "</style>\n");
    if (renew_s > 0)
        add_renewal(out, renew_s);
    text_add(out, "</head>\n<body>\n<main>\n");
}

void html_end(Text *out) {
    text_add(out, "</main>\n</body>\n</html>\n");
}
