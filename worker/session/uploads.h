/* SPDX-License-Identifier: MIT */
/* The games' PGN on its way: packed from the journal and uploaded when all results of the parcel
 * are delivered. An upload may be sent twice: the server has one file a workload. */
#ifndef WORKER_SESSION_UPLOADS_H
#define WORKER_SESSION_UPLOADS_H

#include "session/items.h"

/* Packs the games of items whose results are delivered, and has items done that have no games.
 * `packed` is called from the loop after each packing. */
void uploads_tend(Outbox *outbox, void (*packed)(Outbox *outbox));

/* A row of the queue's table, but for the owner. */
extern const Request uploads_request;

#endif
