/* SPDX-License-Identifier: MIT */
/* The words of fastchess and cutechess-cli become the same match in our words, and what has no
 * counterpart is named. */
#include <string.h>

#include "base/shellwords.h"
#include "local/foreign.h"
#include "runner.h"

/* What foreign_read makes of a line: our command, then "; " and each remark; or "! " and the
 * error. */
static const char *said(const char *line) {
    static char shown[4096];
    Words words = {0};
    ForeignMatch match = {0};
    Error err = {0};
    Text out = {0};
    ck_assert(shell_split(line, &words, &err));
    if (foreign_read(&words, &match, &err)) {
        foreign_command(&match, &out);
        for (size_t i = 0; i < match.remarks.count; i++)
            text_addf(&out, "; %s", match.remarks.items[i]);
    } else
        text_addf(&out, "! %s", err.text);
    snprintf(shown, sizeof shown, "%s", text_string(&out));
    text_free(&out);
    foreign_free(&match);
    words_free(&words);
    return shown;
}

/* In a command or among its remarks. */
static void check_has(const char *line, const char *part) {
    const char *got = said(line);
    ck_assert_msg(strstr(got, part) != NULL, "'%s' is not in: %s", part, got);
}
static void check_lacks(const char *line, const char *part) {
    const char *got = said(line);
    ck_assert_msg(strstr(got, part) == NULL, "'%s' is in: %s", part, got);
}

#define ENGINES "-engine cmd=./new -engine cmd=./old "
#define MATCH ENGINES "-each tc=8+0.08 "

START_TEST(a_whole_line_of_fastchess_is_the_same_match) {
    ck_assert_str_eq(
        said("-engine cmd=./new name=new -engine cmd=./old name='the old one' option.Style=Shy "
             "-each tc=8+0.08 option.Hash=16 proto=uci timemargin=50 "
             "-openings file=book.epd format=epd order=random start=7 -srand 9 -rounds 500 "
             "-repeat -concurrency 4 -sprt elo0=-3 elo1=1 alpha=0.05 beta=0.1 model=bayesian "
             "-resign movecount=3 score=400 -draw movenumber=40 movecount=8 score=10 "
             "-tb /tables -tbpieces 5 -variant fischerandom -pgnout file=out.pgn notation=san"),
        "obworker match --dev ./new --dev-name new --base ./old --base-name 'the old one' "
        "--tc 8+0.08 --option Hash=16 --base-option Style=Shy --margin 50 --book book.epd "
        "--games 1000 --bounds -3,1 --confidence 0.05,0.1 --model bayes "
        "--win-adj 'movecount=3 score=400' "
        "--draw-adj 'movenumber=40 movecount=8 score=10' --concurrency 4 --start 7 --seed 9 "
        "--syzygy /tables --syzygy-men 5 --chess960 --pgn out.pgn");
}
END_TEST

START_TEST(what_is_not_said_is_as_in_the_other_tool) {
    ck_assert_str_eq(said("fastchess " MATCH "-openings file=b.pgn format=pgn order=random"),
                     "obworker match --dev ./new --base ./old --tc 8+0.08 --margin 0 --book b.pgn "
                     "--games 4 --win-adj None --draw-adj None --concurrency 1");
    check_has("/usr/bin/cutechess-cli " MATCH "-rounds 6 -repeat", " --games 6 ");
    check_has("/usr/bin/cutechess-cli " MATCH "-rounds 6 -games 2", " --games 12 ");
    check_has(MATCH "-sprt elo0=0 elo1=5", " --model normalized");
    check_has(MATCH "-each proto=uci -rounds 2 -sprt elo0=0 elo1=5", " --model logistic");
    check_has(MATCH "-resign", " --win-adj 'movecount=1 score=0'");
    check_has(MATCH, "-openings: is missing");
}
END_TEST

START_TEST(a_guess_of_the_tool_is_told) {
    check_has(MATCH "-each proto=uci", "; proto=: read as a line of cutechess-cli; put fastchess");
    check_lacks("fastchess " MATCH "-each proto=uci", "proto=");
    check_lacks("cutechess-cli " MATCH "-each proto=uci", "proto=");
    check_lacks(MATCH "-each proto=uci -sprt elo0=0 elo1=5 model=logistic", "proto=");
    check_lacks("-engine cmd=a arg=b -engine cmd=b -each tc=1 proto=uci", "proto=");
    /* In fastchess a round has one game or two. */
    check_has(MATCH "-games 100", " --games 100 ");
    check_has(MATCH "-games 100", "; -games: read as a line of cutechess-cli; put fastchess");
    check_has(MATCH "-games 2", " --games 4 ");
    check_lacks(MATCH "-games 2", "cutechess-cli");
    check_has("fastchess " MATCH "-games 100", " --games 200 ");
    check_lacks("fastchess " MATCH "-games 100", "cutechess-cli");
    check_lacks("cutechess-cli " MATCH "-games 100", "read as");
    check_has(MATCH "-each proto=uci -games 100", "; proto=: read as a line of cutechess-cli");
}
END_TEST

START_TEST(each_limit_of_a_move_has_its_time_control) {
    check_has(ENGINES "-each st=0.1", " --tc MT=100 ");
    check_has(ENGINES "-each st=0.001", " --tc MT=1 ");
    check_has(ENGINES "-each st=0.0009", "! st=: 0.0009 is not between 0.001 and 1000000");
    check_has(ENGINES "-each nodes=5000", " --tc N=5000 ");
    check_has(ENGINES "-each depth=8", " --tc D=8 ");
    check_has(ENGINES "-each plies=8", " --tc D=8 ");
    check_has(ENGINES "-each tc=40/1:30+0.5", " --tc 40/90+0.5 ");
    check_has(ENGINES "-each tc=0/0:10.5", " --tc 10.5 ");
    check_has("-engine cmd=a tc=4+0.04 -engine cmd=b tc=8", " --dev-tc 4+0.04 --base-tc 8 ");
    check_has("-engine cmd=a st=1 -engine cmd=b st=1", " --tc MT=1000 ");
    check_has(ENGINES "-each tc=8 nodes=5000", "nodes=: a move has one limit here, and tc= is it");
    check_has(ENGINES "-each nodes=5000 depth=8",
              "depth=: a move has one limit here, and nodes= is it");
    check_has(ENGINES "-each st=1 tc=5", "st=: a move has one limit here, and tc= is it");
    check_has("-engine cmd=a nodes=5000 -engine cmd=b -each tc=8+0.08", " --tc 8+0.08 ");
    check_has("-engine cmd=a nodes=5000 -engine cmd=b -each tc=8+0.08",
              "nodes=: a move has one limit here, and tc= is it");
    check_has("-engine cmd=a st=1 -engine cmd=b tc=8", " --dev-tc MT=1000 --base-tc 8 ");
    check_has(ENGINES "-each tc=inf", "! tc=inf: is no limit");
    check_has(ENGINES "-each tc=inf nodes=1000", " --tc N=1000 ");
    check_has(ENGINES "-each tc=inf depth=8", " --tc D=8 ");
    check_has("-engine cmd=a nodes=5 -engine cmd=b nodes=7 -each tc=inf",
              " --dev-tc N=5 --base-tc N=7 ");
    check_has("-engine cmd=a tc=inf -engine cmd=b nodes=7 -each restart=off",
              "! tc=inf: is no limit");
    check_lacks(ENGINES "-each tc=inf nodes=1000", "a move has one limit here");
    check_has(ENGINES "-each tc=infinite nodes=1000", " --tc N=1000 ");
    check_lacks(ENGINES "-each tc=infinite nodes=1000", "a move has one limit here");
    check_has(ENGINES "-each tc=1:x", "! tc=1:x: the seconds");
    check_has(ENGINES, "how long may dev think?");
}
END_TEST

START_TEST(the_words_of_each_win) {
    check_has("-engine cmd=a tc=4+0.04 nodes=1 -engine cmd=b tc=inf -each tc=8 nodes=9",
              " --tc 8 ");
    check_has("-engine cmd=a nodes=1000 option.Hash=64 option.Style=Shy -engine cmd=b "
              "-each nodes=5000 option.hash=16",
              " --tc N=5000 --option hash=16 --dev-option Style=Shy --margin 0 ");
    check_has("-engine cmd=a st=1 -engine cmd=b -each tc=8", " --tc 8 ");
    check_has("-engine cmd=a tc=4 -engine cmd=b -each st=1", " --tc MT=1000 ");
    check_has("-engine cmd=a tc=4 -engine cmd=b -each tc=inf depth=8", " --tc D=8 ");
    check_has("-engine cmd=a dir=/x timemargin=9 -engine cmd=b -each tc=1 dir=/y timemargin=5",
              " --dev a --dev-dir /y --base b --base-dir /y --tc 1 --margin 5 ");
    check_has("-each args=-c tc=1 -engine cmd=a args=-x -engine cmd=b args=-y args=-z",
              " --dev 'a -c' --base 'b -c' ");
    check_has("-engine cmd=a arg=-x -engine cmd=b -each arg=-c tc=1",
              " --dev 'a \"-x\" \"-c\"' --base 'b \"-c\"' ");
}
END_TEST

START_TEST(a_program_keeps_its_arguments) {
    check_has("-engine cmd=a args='-u \"x y\"' -engine cmd=b -each tc=1",
              " --dev 'a -u \"x y\"' --base b ");
    check_has("-engine cmd=a arg=-u arg='x \"y' -engine cmd=b -each tc=1",
              " --dev 'a \"-u\" \"x \\\"y\"' ");
    check_has("fastchess -engine cmd='my engine' -engine cmd=b -each tc=1",
              " --dev '\"my engine\"' ");
    check_has("cutechess-cli -engine cmd='java -jar e' -engine cmd=b -each tc=1",
              " --dev 'java -jar e' ");
}
END_TEST

START_TEST(each_engine_has_its_folder_and_margin) {
    check_has(
        "-engine cmd=a dir=/x timemargin=9 -engine cmd=b dir=/y timemargin=5 -each tc=1",
        " --dev a --dev-dir /x --base b --base-dir /y --tc 1 --dev-margin 9 --base-margin 5 ");
    /* As the client of OpenBench names its engines: the folder comes before the command. */
    check_has("-engine dir=Engines/ cmd=./a -engine dir='My Engines' cmd=./b -each tc=1",
              " --dev Engines/a --dev-dir Engines/ --base '\"My Engines/b\"' --base-dir ");
    check_has("-engine dir=/bin cmd=sh -engine dir=/bin cmd=no-such-program -each tc=1",
              " --dev /bin/sh --dev-dir /bin --base no-such-program --base-dir /bin ");
    check_has("cutechess-cli -engine dir=e cmd='./a -u' -engine dir=e cmd=/x/b -each tc=1",
              " --dev 'e/a -u' --dev-dir e --base /x/b --base-dir e ");
    check_has(MATCH "-each restart=on", " --restart");
    check_lacks(MATCH "-each restart=on restart=on", "; -each restart");
    check_has("-engine cmd=a restart=on -engine cmd=b restart=off -each tc=1",
              "; -engine restart: both engines are started anew");
    check_lacks(MATCH "-each restart=auto", "--restart");
}
END_TEST

START_TEST(openings_are_in_the_order_that_is_asked_for) {
    check_has(MATCH "-openings file=b.epd", " --book b.epd --openings-order sequential ");
    check_has(MATCH "-openings file=b.epd order=sequential", " --openings-order sequential ");
    check_lacks(MATCH "-openings file=b.epd order=random", "--openings-order");
    check_has(MATCH "-openings file=b.epd order=mixed", "! -openings order=mixed: random and");
    check_has(MATCH "-openings file=b.pgn format=pgn plies=8", " --plies 8 ");
    check_has(MATCH "-openings file=b.epd format=epd plies=8", "; -openings plies: an opening of");
    check_has(MATCH "-openings file=b.EPD.gz plies=8", "; -openings plies: an opening of");
    check_has(MATCH "-openings file=b.epd.pgn plies=8", " --plies 8 ");
}
END_TEST

START_TEST(games_are_limited_and_written_as_asked) {
    check_has(MATCH "-maxmoves 100", " --max-moves 100");
    check_lacks(MATCH "-maxmoves 0", "--max-moves");
    check_has(MATCH "-pgnout file=a notation=uci pv=true", " --pgn a --pgn-notation uci --pgn-pv");
    check_lacks(MATCH "-pgnout file=a notation=san pv=false", "--pgn-");
    check_has(MATCH "-pgnout file=a append=false", " --pgn a; -pgnout append: games are appended");
    check_lacks(MATCH "-pgnout file=a append=true", "append");
    check_has(MATCH "-pgnout notation=san nodes=true", "! -pgnout: file= is missing");
    check_has(MATCH "-tb /t -tbpieces 6", " --syzygy-men 6");
    check_lacks(MATCH "-tb /t -tbpieces 0", "--syzygy-men");
    check_has(MATCH "-event My Tournament -site 'My House' -tb /t",
              " --event MyTournament --site 'My House' --syzygy /t");
    check_has(MATCH "-event -site x", "! -event: its value is missing");
}
END_TEST

START_TEST(games_come_in_pairs) {
    check_has("cutechess-cli " MATCH "-rounds 7", "an odd number of games");
    check_has("cutechess-cli " MATCH "-rounds 7", " --games 8 ");
    check_has(MATCH "-games 1 -rounds 8", "-games: each opening is played twice, as with -repeat");
    check_lacks(MATCH "-games 2 -rounds 8", "-games:");
    check_has(MATCH "-noswap", "! -noswap: games come in pairs");
    check_lacks(MATCH "-sprt elo0=0 elo1=5", "--games");
    check_lacks("fastchess " MATCH "-games 2 -sprt elo0=0 elo1=5", "--games");
    check_has("fastchess " MATCH "-games 100 -sprt elo0=0 elo1=5", " --games 200 --bounds 0,5 ");
    check_lacks("fastchess " MATCH "-games 100 -repeat -sprt elo0=0 elo1=5", "--games");
    check_lacks("cutechess-cli " MATCH "-repeat -sprt elo0=0 elo1=5", "--games");
    check_has("cutechess-cli " MATCH "-games 40000 -repeat -sprt elo0=0 elo1=5",
              " --games 40000 --bounds 0,5 ");
    check_has(MATCH "-games 40000 -repeat -sprt elo0=0 elo1=5", " --games 40000 --bounds 0,5 ");
    check_has(MATCH "-games x", "! -games: 'x' is not a whole number");
}
END_TEST

START_TEST(words_without_a_counterpart_are_named_with_the_reason) {
    check_has(MATCH "-ratinginterval 10", "; -ratinginterval: the live line always shows");
    check_has(MATCH
              "-strict -check-mate-pvs -startup-ms 9 -ping-ms 9 -ucinewgame-ms 9 -log append=false",
              "; -ucinewgame-ms: the waits");
    check_has("cutechess-cli " MATCH "-each tscale=2 debug", "; -each tscale: the waits");
    check_has(MATCH "-recover -wait 5", "; -recover: an engine that fails is always started");
    check_has(MATCH "-each ponder book=x.bin", "; -each book: both engines play");
    check_has(MATCH "-config outname=x.json", "; -config outname: ");
    check_lacks(MATCH "-pgnout file=a nodes=true -config outname=x.json", "hashfull");
    check_has(MATCH "-pgnout games.pgn min hashfull=true", " --pgn-hashfull");
    check_has(MATCH "-pgnout games.pgn min", " --pgn games.pgn");
    check_has("cutechess-cli " MATCH "-pgnout a=b.pgn", " --pgn a=b.pgn");
    check_has(MATCH "-crc32", "; -crc32: the journal has a checksum");
    check_lacks(MATCH "-tournament gauntlet -repeat 2", "; -repeat");
    check_lacks(MATCH "-tournament roundrobin", "tournament");
}
END_TEST

START_TEST(a_match_that_cannot_be_here_is_refused) {
    check_has(MATCH "-engine cmd=third", "! -engine: a match has two engines, not more");
    check_has("-engine cmd=a -each tc=1", "! -engine: a match needs two engines; given: 1");
    check_has("-engine name=a -engine cmd=b -each tc=1", "! -engine: cmd= of the first one");
    check_has(MATCH "-tournament knockout", "! -tournament knockout: two engines play");
    check_has(MATCH "-variant atomic", "! -variant atomic: ");
    check_has(MATCH "-each proto=xboard", "! -each proto=xboard: ");
    check_has(MATCH "-sprt elo0=0", "! -sprt: elo1= is missing");
    check_has(MATCH "-sprt elo2=0", "! -sprt elo2=0: is not known; known are elo0, elo1, ");
    check_has(MATCH "-round 5",
              "! -round: is not a word of fastchess or cutechess-cli (did you mean "
              "-rounds?)");
    check_has(MATCH "-pgnout file=a notatoin=san", "! -pgnout notatoin=san: is not known");
    check_has("/x/c-chess-cli " MATCH,
              "! c-chess-cli: the words of fastchess and cutechess-cli are");
    check_lacks("/c-chess-cli/cutechess-cli " MATCH, "!");
    check_has(MATCH "-rounds", "! -rounds: its value is missing");
    check_has(MATCH "-each option.Hash", "! -each option.Hash: is not option.NAME=VALUE");
}
END_TEST

START_TEST(our_own_command_lines_are_not_theirs) {
    char *ours[] = {(char *)"match", (char *)"--dev", (char *)"a", (char *)"-q", (char *)"-v"};
    char *theirs[] = {(char *)"match", (char *)"-q", (char *)"-each"};
    char *dashed[] = {(char *)"match", (char *)"--compliance", (char *)"a"};
    char *quoted[] = {(char *)"match", (char *)"--from-fastchess", (char *)"-each tc=1"};
    ck_assert(!foreign_is((int)COUNT(ours), ours));
    ck_assert(foreign_is((int)COUNT(theirs), theirs));
    ck_assert(!foreign_is((int)COUNT(quoted), quoted));
    ck_assert(foreign_is((int)COUNT(dashed), dashed));
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_whole_line_of_fastchess_is_the_same_match);
    tcase_add_test(tests, what_is_not_said_is_as_in_the_other_tool);
    tcase_add_test(tests, a_guess_of_the_tool_is_told);
    tcase_add_test(tests, each_limit_of_a_move_has_its_time_control);
    tcase_add_test(tests, the_words_of_each_win);
    tcase_add_test(tests, a_program_keeps_its_arguments);
    tcase_add_test(tests, each_engine_has_its_folder_and_margin);
    tcase_add_test(tests, openings_are_in_the_order_that_is_asked_for);
    tcase_add_test(tests, games_are_limited_and_written_as_asked);
    tcase_add_test(tests, games_come_in_pairs);
    tcase_add_test(tests, words_without_a_counterpart_are_named_with_the_reason);
    tcase_add_test(tests, a_match_that_cannot_be_here_is_refused);
    tcase_add_test(tests, our_own_command_lines_are_not_theirs);
}

int main(void) {
    return run_tests("foreign", add_tests);
}
