/* SPDX-License-Identifier: MIT */
/* The upload of the games' PGN, which is packed from the journal when all results of the parcel are
 * delivered. An upload may be sent twice: the server keeps one file for each workload. */
#ifndef WORKER_SESSION_UPLOADS_H
#define WORKER_SESSION_UPLOADS_H

#include "session/items.h"

/* Packs the games of items whose results are delivered, one item at a time; items without games are
 * done. A packing that fails is tried again later. `packed` is called from the loop after each
 * packing. */
void uploads_tend(Outbox *outbox, void (*packed)(Outbox *outbox));

/* A row of the queue's table, complete but for the owner. */
extern const Request uploads_request;

#endif
