/* SPDX-License-Identifier: MIT */
/* What reports call the repository that an engine was built from. */
#include <check.h>

#include "report/origin.h"
#include "runner.h"

/* A journal's head may have any text as the address. */
START_TEST(a_repository_has_the_name_of_its_address_or_of_its_folder) {
    static const struct {
        const char *web, *repository, *name;
    } CASES[] = {
        {"https://example.org/me/engine", "/home/me/clone", "me/engine"},
        {"https://example.org", "/home/me/clone", ""},
        {"x", "/home/me/clone", "clone"},
        {"", "/home/me/clone", "clone"},
        {NULL, "/home/me/clone", "clone"},
        {NULL, "clone", "clone"},
        {"x", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        RecordEngine engine = {.commit = (char[]){"60c5137"},
                               .subject = (char[]){"Reduce less"},
                               .web = (char *)(uintptr_t)CASES[i].web,
                               .repository = (char *)(uintptr_t)CASES[i].repository};
        Origin origin = origin_of(&engine);
        ck_assert_pstr_eq(origin.repository, CASES[i].name);
        origin_free(&origin);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_repository_has_the_name_of_its_address_or_of_its_folder);
}

int main(void) {
    return run_tests("origin", add_tests);
}
