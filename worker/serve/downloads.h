/* SPDX-License-Identifier: MIT */
/* The files that workers and scripts fetch from this server: zips of commits and zips of books. */
#ifndef WORKER_SERVE_DOWNLOADS_H
#define WORKER_SERVE_DOWNLOADS_H

#include "serve/web.h"

/* GET /source/NAME/SHA.zip and GET /book/NAME.zip: the addresses of SourceCommit.source and
 * CatalogBook.source. Anybody may fetch these, as from GitHub. GET /repo/NAME/archive/REF.zip: the
 * commit of a branch, a tag or the forty digits; with require_login_to_view for users alone. */
extern const WebRoute DOWNLOADS[];

#endif
