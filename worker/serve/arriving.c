/* SPDX-License-Identifier: MIT */
#include "serve/arriving.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"

enum {
    READER_BYTES = 16384, /* The form reader's buffer. */
    FREE_BYTES = 16384,   /* Of a form; ArrivingSpool.forms_limit counts those above. */
    FIELD_BYTES = 96,     /* What a field takes in memory beside its letters. */
    GRACE_S = 30,         /* A body may be slow for so long. */
    SLOWEST = 4096        /* Bytes a second that a longer body must reach, unless it is dropped. */
};

static void refuse(Arriving *arriving, WebStatus status, const char *cause) {
    if (!arriving->refused) {
        arriving->refused = status;
        arriving->cause = cause;
    }
}

/* ---- Addresses ---- */

void arriving_address(const struct sockaddr *address, char out[ARRIVING_ADDRESS_MAX]) {
    static const char mapped[] = "::ffff:";
    snprintf(out, ARRIVING_ADDRESS_MAX, "?");
    if (address && address->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, address, sizeof in);
        inet_ntop(AF_INET, &in.sin_addr, out, ARRIVING_ADDRESS_MAX);
    } else if (address && address->sa_family == AF_INET6) {
        struct sockaddr_in6 in;
        memcpy(&in, address, sizeof in);
        inet_ntop(AF_INET6, &in.sin6_addr, out, ARRIVING_ADDRESS_MAX);
        if (text_starts_with(out, mapped) && strchr(out, '.'))
            memmove(out, out + sizeof mapped - 1, strlen(out) - (sizeof mapped - 1) + 1);
    }
}

bool arriving_read_address(const char *word, char out[ARRIVING_ADDRESS_MAX]) {
    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_in6 in6;
    } address = {0};
    if (inet_pton(AF_INET, word, &address.in.sin_addr) == 1)
        address.any.sa_family = AF_INET;
    else if (inet_pton(AF_INET6, word, &address.in6.sin6_addr) == 1)
        address.any.sa_family = AF_INET6;
    else
        return false;
    arriving_address(&address.any, out);
    return true;
}

/* The client's address by a trusted proxy's header: the last address of the list that is no trusted
 * proxy. Allocated; NULL when the header names none. */
static char *forwarded_for(const char *list, const Words *proxies) {
    const char *end = list + strlen(list);
    while (end > list) {
        const char *start = end;
        while (start > list && start[-1] != ',')
            start--;
        const char *next = start > list ? start - 1 : list;
        while (start < end && (*start == ' ' || *start == '\t'))
            start++;
        while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
            end--;
        char *word = mem_strndup(start, (size_t)(end - start));
        char address[ARRIVING_ADDRESS_MAX];
        bool known = arriving_read_address(word, address);
        free(word);
        if (!known)
            return NULL;
        if (!words_has(proxies, address))
            return mem_strdup(address);
        end = next;
    }
    return NULL;
}

/* The lines of a header as one list, in their order: a proxy may add a line of its own below the
 * client's. Allocated. */
static char *forwarded_list(const WebRequest *request, const char *header) {
    Text list = {0};
    const WebFields *headers = &request->headers;
    for (size_t i = 0; i < headers->names.count; i++)
        if (strcasecmp(headers->names.items[i], header) == 0)
            text_addf(&list, "%s%s", list.length > 0 ? "," : "", headers->values.items[i]);
    return text_take(&list);
}

/* Did the client come over https? The last word of the list is the proxy's: a client can write
 * those before. */
static bool forwarded_https(const char *list) {
    const char *comma = strrchr(list, ',');
    const char *last = comma ? comma + 1 : list;
    return strcasecmp(last + strspn(last, " \t"), "https") == 0;
}

static void believe_proxy(Arriving *arriving, const Words *proxies) {
    WebRequest *request = &arriving->request;
    if (!proxies || !words_has(proxies, request->peer))
        return;
    char *clients = forwarded_list(request, "X-Forwarded-For");
    char *schemes = forwarded_list(request, "X-Forwarded-Proto");
    char *address = forwarded_for(clients, proxies);
    request->secure = forwarded_https(schemes);
    free(clients);
    free(schemes);
    if (address) {
        free(request->peer);
        request->peer = address;
        arriving->forwarded = true;
    }
}

/* ---- All but the body ---- */

/* Drops the CR before each LF: browsers end the lines of a form so. */
static void unify_lines(Text *text) {
    size_t kept = 0;
    for (size_t i = 0; i < text->length; i++)
        if (text->data[i] != '\r' || text->data[i + 1] != '\n')
            text->data[kept++] = text->data[i];
    if (kept < text->length)
        text->data[kept] = '\0';
    text->length = kept;
}

/* Adds the field as UTF-8, whatever bytes came: they go into pages and JSON. Lines end in LF. */
static void add_clean(WebFields *fields, const char *name, const char *value) {
    Text clean_name = {0}, clean_value = {0};
    text_add_utf8(&clean_name, name);
    text_add_utf8(&clean_value, value);
    unify_lines(&clean_value);
    web_fields_add(fields, text_string(&clean_name), text_string(&clean_value));
    text_free(&clean_name);
    text_free(&clean_value);
}

static enum MHD_Result add_value(void *user, enum MHD_ValueKind kind, const char *name,
                                 const char *value) {
    Arriving *arriving = user;
    WebFields *fields = kind == MHD_HEADER_KIND   ? &arriving->request.headers
                        : kind == MHD_COOKIE_KIND ? &arriving->request.cookies
                                                  : &arriving->request.query;
    if (fields->names.count >= ARRIVING_FIELDS) {
        refuse(arriving, WEB_BAD_REQUEST, "The request has too many fields.");
        return MHD_NO;
    }
    add_clean(fields, name, value ? value : "");
    return MHD_YES;
}

/* Is this the name, but for a blank behind it? */
static bool is_named(const char *header, const char *name, size_t length) {
    return strlen(name) == length && strncasecmp(header, name, length) == 0;
}

/* Refuses a request whose end a proxy may see elsewhere than libmicrohttpd does: what follows would
 * be another client's request (RFC 9112, 5.1 and 6.3). */
static void check_length(Arriving *arriving) {
    const Words *names = &arriving->request.headers.names;
    int lengths = 0;
    for (size_t i = 0; i < names->count; i++) {
        const char *header = names->items[i];
        size_t length = strcspn(header, " \t");
        if (is_named(header, MHD_HTTP_HEADER_CONTENT_LENGTH, length) ||
            is_named(header, MHD_HTTP_HEADER_TRANSFER_ENCODING, length))
            lengths += header[length] == '\0' ? 1 : 2;
    }
    if (lengths > 1)
        refuse(arriving, WEB_BAD_REQUEST, "The length of the request is not clear.");
}

void arriving_begin(Arriving *arriving, struct MHD_Connection *connection, const char *url,
                    bool post, const Words *proxies) {
    char peer[ARRIVING_ADDRESS_MAX];
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    arriving_address(info ? info->client_addr : NULL, peer);
    arriving->began_ns = clock_now_ns();
    arriving->limit = WEB_BODY_LIMIT; /* Of the body of a GET, which nothing reads. */
    arriving->request.post = post;
    arriving->request.path = mem_strdup(url);
    arriving->request.peer = mem_strdup(peer);
    MHD_get_connection_values(connection, MHD_HEADER_KIND, add_value, arriving);
    MHD_get_connection_values(connection, MHD_COOKIE_KIND, add_value, arriving);
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, add_value, arriving);
    believe_proxy(arriving, proxies);
    check_length(arriving);
}

/* ---- The body ---- */

/* Refuses the request because the disk failed at this path; errno says why. */
static void refuse_fault(Arriving *arriving, const char *path) {
    if (!arriving->fault)
        arriving->fault = text_format("%s: %s", path, strerror(errno));
    refuse(arriving, WEB_UNAVAILABLE, WEB_FAULT_WORDS);
}

static WebUpload *only_upload(Arriving *arriving) {
    return &arriving->request.uploads[0];
}

static void close_file(Arriving *arriving) {
    if (arriving->file && fclose(arriving->file) != 0)
        refuse_fault(arriving, only_upload(arriving)->path);
    arriving->file = NULL;
}

/* Adds the field that has arrived to the form. */
static void end_field(Arriving *arriving) {
    if (arriving->name)
        add_clean(&arriving->request.form, arriving->name, text_string(&arriving->value));
    free(arriving->name);
    arriving->name = NULL;
    text_free(&arriving->value);
}

static bool may_send_file(const Arriving *arriving) {
    return arriving->takes && arriving->takes->may_send(arriving->spool->serve, &arriving->request);
}

static void begin_file(Arriving *arriving, const char *name, const char *file_name) {
    WebRequest *request = &arriving->request;
    Text path = {0};
    arriving->filed = true;
    arriving->dropped = !may_send_file(arriving);
    if (arriving->dropped)
        return;
    text_addf(&path, "%s/upload-XXXXXX", arriving->spool->folder);
    int descriptor = mkstemp(path.data);
    arriving->file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (!arriving->file) {
        refuse_fault(arriving, arriving->spool->folder);
        if (descriptor >= 0) {
            unlink(path.data);
            close(descriptor);
        }
        text_free(&path);
        return;
    }
    request->uploads = mem_calloc(1, sizeof *request->uploads);
    request->upload_count = 1;
    request->uploads[0] = (WebUpload){
        .name = mem_strdup(name), .file_name = mem_strdup(file_name), .path = text_take(&path)};
}

/* Does this piece, at the value's start, belong to the value that is arriving? The reader may hand
 * out an empty first piece. */
static bool is_same_value(Arriving *arriving, const char *name, const char *file_name) {
    if (file_name && arriving->dropped)
        return arriving->drop_count == 0;
    if (file_name)
        return arriving->file && only_upload(arriving)->length == 0 &&
               strcmp(only_upload(arriving)->name, name) == 0 &&
               strcmp(only_upload(arriving)->file_name, file_name) == 0;
    return arriving->name && arriving->value.length == 0 && strcmp(arriving->name, name) == 0;
}

/* The bytes of this request in spool->form_bytes. Small forms have none, so that strangers, who may
 * fill the room for large forms, keep out neither a login nor a worker's results. */
static uint64_t counted_bytes(const Arriving *arriving) {
    return arriving->held > FREE_BYTES ? arriving->held - FREE_BYTES : 0;
}

/* Counts bytes of the form that stay in memory. */
static void hold(Arriving *arriving, size_t length) {
    ArrivingSpool *spool = arriving->spool;
    uint64_t before = counted_bytes(arriving);
    arriving->held += length;
    uint64_t more = counted_bytes(arriving) - before;
    uint64_t all = atomic_fetch_add(&spool->form_bytes, more) + more;
    if (arriving->held > WEB_BODY_LIMIT)
        refuse(arriving, WEB_TOO_LARGE, "The form's fields are too large.");
    else if (more > 0 && all > spool->forms_limit)
        refuse(arriving, WEB_UNAVAILABLE,
               "The server takes too many forms just now: send the form again later.");
}

static void begin_value(Arriving *arriving, const char *name, const char *file_name) {
    end_field(arriving);
    close_file(arriving);
    hold(arriving, FIELD_BYTES + strlen(name) + (file_name ? strlen(file_name) : 0));
    if (arriving->refused)
        return;
    if (arriving->request.form.names.count + arriving->request.upload_count >= ARRIVING_FIELDS)
        refuse(arriving, WEB_BAD_REQUEST, "The form has too many fields.");
    else if (file_name && arriving->filed)
        refuse(arriving, WEB_BAD_REQUEST, "The form has more than one file.");
    else if (file_name)
        begin_file(arriving, name, file_name);
    else
        arriving->name = mem_strdup(name);
}

static void add_to_file(Arriving *arriving, const char *bytes, size_t length) {
    ArrivingSpool *spool = arriving->spool;
    arriving->spooled += length;
    only_upload(arriving)->length += length;
    if (atomic_fetch_add(&spool->bytes, length) + length > spool->limit)
        refuse(arriving, WEB_UNAVAILABLE,
               "The server takes too many files just now: send the file again later.");
    else if (fwrite(bytes, 1, length, arriving->file) != length)
        refuse_fault(arriving, only_upload(arriving)->path);
}

/* Adds bytes of the form to a text of the request. */
static void add_to_text(Arriving *arriving, Text *text, const char *bytes, size_t length) {
    hold(arriving, length);
    if (!arriving->refused)
        text_add_bytes(text, bytes, length);
}

static enum MHD_Result take_value(void *user, enum MHD_ValueKind kind, const char *name,
                                  const char *file_name, const char *type, const char *encoding,
                                  const char *bytes, uint64_t offset, size_t length) {
    (void)kind;
    (void)type;
    (void)encoding;
    Arriving *arriving = user;
    if (!name) /* The library hands out such parts too. */
        refuse(arriving, WEB_BAD_REQUEST, "A part of the form has no name.");
    else if (offset == 0 && !is_same_value(arriving, name, file_name))
        begin_value(arriving, name, file_name);
    if (arriving->refused)
        return MHD_NO;
    if (arriving->file)
        add_to_file(arriving, bytes, length);
    else if (file_name)
        arriving->drop_count += length;
    else if (length > 0 && memchr(bytes, '\0', length))
        refuse(arriving, WEB_BAD_REQUEST, "A field of the form holds a NUL.");
    else
        add_to_text(arriving, &arriving->value, bytes, length);
    return arriving->refused ? MHD_NO : MHD_YES;
}

/* ---- Urlencoded forms ---- */

static int hex_digit(char c) {
    static const char digits[] = "0123456789abcdef";
    const char *at = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c);
    return at ? (int)(at - digits) : -1;
}

/* Decodes "+" and "%41"; a "%" without two digits stays. NULL when the text holds a NUL. */
static char *decode(const char *from, size_t length) {
    char *out = mem_alloc(length + 1);
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        bool escape = from[i] == '%' && i + 2 < length && hex_digit(from[i + 1]) >= 0 &&
                      hex_digit(from[i + 2]) >= 0;
        char c = from[i] == '+' ? ' ' : from[i];
        if (escape) {
            c = (char)(16 * hex_digit(from[i + 1]) + hex_digit(from[i + 2]));
            i += 2;
        }
        if (c == '\0') {
            free(out);
            return NULL;
        }
        out[used++] = c;
    }
    out[used] = '\0';
    return out;
}

static void read_pair(Arriving *arriving, const char *pair, size_t length) {
    const char *equals = memchr(pair, '=', length);
    size_t name_length = equals ? (size_t)(equals - pair) : length;
    char *name = decode(pair, name_length);
    char *value = equals ? decode(equals + 1, length - name_length - 1) : mem_strdup("");
    if (!name || !value)
        refuse(arriving, WEB_BAD_REQUEST, "A field of the form holds a NUL.");
    else if (arriving->request.form.names.count >= ARRIVING_FIELDS)
        refuse(arriving, WEB_BAD_REQUEST, "The form has too many fields.");
    else if (length > 0)
        add_clean(&arriving->request.form, name, value);
    free(name);
    free(value);
}

/* Reads "name=value&name=value". */
static void read_encoded(Arriving *arriving) {
    const char *at = text_string(&arriving->body);
    const char *end = at + arriving->body.length;
    while (at < end && !arriving->refused) {
        const char *stop = memchr(at, '&', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        read_pair(arriving, at, length);
        at += length + 1;
    }
    text_free(&arriving->body);
}

void arriving_expect_body(Arriving *arriving, struct MHD_Connection *connection,
                          const WebFile *takes, ArrivingSpool *spool) {
    static const char encoded[] = "application/x-www-form-urlencoded";
    const char *announced = web_header(&arriving->request, "Content-Length");
    const char *type = web_header(&arriving->request, "Content-Type");
    arriving->spool = spool;
    arriving->takes = takes;
    arriving->encoded = strncasecmp(type, encoded, sizeof encoded - 1) == 0;
    /* A urlencoded form has no file: all of the form stays in memory. */
    arriving->limit = takes && !arriving->encoded ? takes->limit : WEB_BODY_LIMIT;
    if (announced[0] != '\0' && strtoull(announced, NULL, 10) > arriving->limit)
        refuse(arriving, WEB_TOO_LARGE, "The form is too large.");
    else if (!arriving->encoded) /* NULL for a body that is no form: nothing reads such a body. */
        arriving->reader =
            MHD_create_post_processor(connection, READER_BYTES, take_value, arriving);
}

/* Has the sender had the time for what has come? Beyond WEB_BODY_LIMIT only the bytes of a file
 * that is stored grant time. A file that is dropped gets no time of its own. */
static bool is_late(const Arriving *arriving) {
    int64_t passed_ms = clock_elapsed_ms(arriving->began_ns, clock_now_ns());
    uint64_t most = WEB_BODY_LIMIT + arriving->spooled;
    uint64_t counted = arriving->received < most ? arriving->received : most;
    int64_t granted_s = arriving->dropped ? 0 : (int64_t)(counted / SLOWEST);
    return passed_ms / CLOCK_MS_PER_SECOND > GRACE_S + granted_s;
}

bool arriving_take(Arriving *arriving, const char *bytes, size_t length) {
    arriving->received += length;
    if (is_late(arriving) || arriving->received > arriving->limit + WEB_BODY_LIMIT)
        return false;
    if (arriving->received > arriving->limit)
        refuse(arriving, WEB_TOO_LARGE, "The form is too large.");
    if (arriving->encoded && !arriving->refused)
        add_to_text(arriving, &arriving->body, bytes, length);
    if (arriving->reader && !arriving->refused &&
        MHD_post_process(arriving->reader, bytes, length) != MHD_YES)
        refuse(arriving, WEB_BAD_REQUEST, "The form cannot be read.");
    return true;
}

void arriving_end(Arriving *arriving) {
    if (arriving->reader && MHD_destroy_post_processor(arriving->reader) != MHD_YES)
        refuse(arriving, WEB_BAD_REQUEST, "The form is incomplete.");
    arriving->reader = NULL;
    end_field(arriving);
    close_file(arriving);
    if (arriving->encoded && !arriving->refused)
        read_encoded(arriving);
    arriving->encoded = false;
}

void arriving_free(Arriving *arriving) {
    arriving_end(arriving);
    if (arriving->spooled > 0)
        atomic_fetch_sub(&arriving->spool->bytes, arriving->spooled);
    if (arriving->held > 0)
        atomic_fetch_sub(&arriving->spool->form_bytes, counted_bytes(arriving));
    text_free(&arriving->value);
    text_free(&arriving->body);
    free(arriving->fault);
    web_request_free(&arriving->request);
    *arriving = (Arriving){0};
}
