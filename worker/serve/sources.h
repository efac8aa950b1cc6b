/* SPDX-License-Identifier: MIT */
/* The repositories that engines are built from: those that this server keeps, and GitHub's.
 *
 * A kept repository is a bare one, REPOSITORIES/NAME.git in the data folder. A repository with an
 * upstream fetches the upstream's branches and tags when a branch or an unknown commit is asked
 * for. A fetch moves branches as the upstream did, also those that were pushed here under the same
 * name, and removes none, but for a branch `a` where the upstream has `a/b` now: git cannot keep
 * both. Every kept repository takes pushes, by its path or by ssh. Zips of commits are made by
 * `git archive` and kept in the data folder.
 *
 * All functions may be called from any thread, and block: git runs as a child, and GitHub is asked
 * over the network. */
#ifndef WORKER_SERVE_SOURCES_H
#define WORKER_SERVE_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"

enum {
    SOURCES_SHA_MAX = 41,  /* The forty digits of a commit, and the NUL. */
    SOURCES_NAME_MAX = 64, /* Characters of a repository's name. */
};

typedef struct Sources Sources;

typedef struct {
    const char *data;   /* The data folder, which exists. */
    const Words *repos; /* "NAME=PATH", "NAME=URL", or "NAME" for one without an upstream. */
    /* The base address of GitHub's API, without a slash at the end; NULL:
     * https://api.github.com. */
    const char *github;
    Log *log; /* Is told of upstreams that do not answer at the start. NULL: nobody is. */
} SourcesSpec;

/* Refuses a word that SourcesSpec.repos cannot have, whatever repositories there are. */
bool sources_check_word(const char *word, Error *err);

/* Opens the kept repositories, and makes those that are missing. Upstreams are fetched here: an
 * address that is no repository is refused, with git's words, unless the kept repository has
 * commits of an earlier start. git then packs what earlier fetches brought, where there is much.
 * NULL with err set, also after SIGINT or SIGTERM. */
Sources *sources_open(const SourcesSpec *spec, Error *err);
void sources_free(Sources *sources);

/* The number of kept repositories, and the name of each. */
size_t sources_count(const Sources *sources);
const char *sources_name(const Sources *sources, size_t index);

/* The folder that `git push` takes for a kept repository; NULL: no repository of this name is
 * kept. */
const char *sources_folder(const Sources *sources, const char *name);

/* The name of the kept repository that `repo` means: its name, in any letter case, or "/repo/NAME".
 * NULL: `repo` is elsewhere. */
const char *sources_kept(const Sources *sources, const char *repo);

/* The name of the kept repository that this SourceCommit.source is of. NULL: it is elsewhere. */
const char *sources_of(const Sources *sources, const char *source);

/* Can a worker have this SourceCommit.source, as far as this server knows? False: the source is a
 * zip of a repository that is not kept, whose name is written to `lost`. */
bool sources_has(const Sources *sources, const char *source, char lost[SOURCES_NAME_MAX + 1]);

/* A commit, as a form's branch named it. Freed with source_commit_free. */
typedef struct {
    char sha[SOURCES_SHA_MAX]; /* Lower case. */
    char *message;             /* The whole commit message. */
    int64_t bench;             /* The message's last bench; 0: none. */
    /* The zip's address: "/source/NAME/SHA.zip" on this server, or a full address elsewhere. */
    char *source;
    char *doubt; /* Why the branch may have moved on meanwhile: its upstream's fault. NULL: no. */
} SourceCommit;

/* Finds the commit that `ref` (a branch, a tag, or the forty digits of a commit) means in `repo`: a
 * kept repository (sources_kept), or https://github.com/USER/NAME. `token` goes to GitHub alone;
 * NULL: none. False with err set when repo or ref is refused or unknown, or when nobody answers. */
bool sources_resolve(Sources *sources, const char *repo, const char *ref, const char *token,
                     SourceCommit *out, Error *err);
void source_commit_free(SourceCommit *commit);

typedef enum {
    DIFFERENCE_FOUND,
    DIFFERENCE_BUSY,    /* git looks for another difference: ask again later. */
    DIFFERENCE_REFUSED, /* One of the commits is not here: err says so. */
    DIFFERENCE_FAULT    /* git failed. err has the cause, with paths of this machine. */
} DifferenceResult;

/* Appends the difference between two commits of a kept repository: the commits of `dev` that `base`
 * lacks, a line each, and then the changed lines. Of a text above `limit` bytes, which is less than
 * a megabyte, the whole lines within the limit, and a line that says so. Strangers may ask: git
 * runs for one difference at a time, and the last ones are kept in memory. */
DifferenceResult sources_difference(Sources *sources, const char *name, const char *base,
                                    const char *dev, size_t limit, Text *out, Error *err);

typedef enum {
    ZIP_FOUND,
    ZIP_REFUSED, /* There is no such commit for the one who asks: err says why. */
    ZIP_BUSY,    /* Somebody else asks: ask again later. err says so. */
    ZIP_FAULT    /* git or the disk failed. err has the cause, with paths of this machine. */
} ZipResult;

/* Makes the zip of a commit that sources_resolve has found in a kept repository, or finds the zip.
 * All entries stand in one top folder, NAME-SHA. The zip is kept. Other commits are refused. Writes
 * the zip's path, allocated, to *zip; NULL unless ZIP_FOUND. Never ZIP_BUSY. */
ZipResult sources_zip(Sources *sources, const char *name, const char *sha, char **zip, Error *err);

/* As sources_zip, of the commit that a branch or a tag is at, by its name or by the forty digits.
 * Strangers may ask: one at a time for each repository, else ZIP_BUSY. The branches are as fresh as
 * a fetch a minute makes them. The zip of a commit that no test has named is removed when somebody
 * asks for the next one. */
ZipResult sources_ref_zip(Sources *sources, const char *name, const char *ref, char **zip,
                          Error *err);

#endif
