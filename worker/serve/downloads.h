/* SPDX-License-Identifier: MIT */
/* The files that workers fetch from this server: zips of commits and zips of books. Anybody may
 * fetch them, as from GitHub. */
#ifndef WORKER_SERVE_DOWNLOADS_H
#define WORKER_SERVE_DOWNLOADS_H

#include "serve/web.h"

/* GET /source/NAME/SHA.zip and GET /book/NAME.zip: the addresses of SourceCommit.source and
 * CatalogBook.source. */
extern const WebRoute DOWNLOADS[];

#endif
