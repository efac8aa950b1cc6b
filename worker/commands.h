/* SPDX-License-Identifier: MIT */
/* The commands of obworker. Each is a main of its own, and argv[0] is the command's name. Exit
 * status: 0 done, 1 failed, 2 usage. */
#ifndef COMMANDS_H
#define COMMANDS_H

int cmd_check_main(int argc, char **argv);
int cmd_match_main(int argc, char **argv);
int cmd_report_main(int argc, char **argv);
int cmd_serve_main(int argc, char **argv);
int cmd_submit_main(int argc, char **argv);
int cmd_tune_main(int argc, char **argv);
int cmd_work_main(int argc, char **argv);

#endif
