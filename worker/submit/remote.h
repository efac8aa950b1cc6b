/* SPDX-License-Identifier: MIT */
/* The addresses of git's remotes, as servers take them. */
#ifndef SUBMIT_REMOTE_H
#define SUBMIT_REMOTE_H

/* Turns the address that git pushes to into the address for servers: https, without user and
 * ".git". Allocated; NULL for a folder. Pure. */
char *remote_web_address(const char *remote);

/* The address for servers of a remote of the repository around the working folder. Allocated; NULL
 * for a folder or an unknown remote. Blocking. */
char *remote_address(const char *remote);

#endif
