/* test_conf.c -- the daemons' INI files, COSBench's own among them. */
#include "tests/unit/unit.h"

#include "common/base/file.h"
#include "common/base/scope.h"
#include "common/catalog/conf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/test-conf-XXXXXX";
static char *path;

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    path = xasprintf("%s/a.conf", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    free(path);
    return rmdir(folder);
}

static void write_conf(const char *text)
{
    assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
}

static void cosbenchs_controller_file_is_read_unchanged(void **state)
{
    struct controller_conf conf = {0};
    (void)state;
    write_conf("[controller]\r\ndrivers = 2\r\nlog_level = INFO\r\nlog_file = log/system.log\r\n"
               "archive_dir = archive\r\n\r\n[driver1]\r\nname = driver1\r\n"
               "url = http://127.0.0.1:18088/driver\r\n\r\n[driver2]\r\nname=driver2\r\n"
               "url=http://127.0.0.1:18188/driver\r\n");
    assert_int_equal(controller_conf_load(path, &conf, NULL), 0);
    assert_int_equal(conf.drivers.len, 2);
    assert_string_equal(conf.drivers.items[0].name, "driver1");
    assert_string_equal(conf.drivers.items[1].url, "http://127.0.0.1:18188/driver");
    assert_string_equal(conf.name, "N/A");
    assert_string_equal(conf.log_file, "log/system.log");
    assert_string_equal(conf.archive_dir, "archive");
    assert_int_equal(conf.concurrency, 1);
    assert_int_equal(conf.port, 19088);
    assert_string_equal(conf.bind, "127.0.0.1");
    controller_conf_release(&conf);
}

static void a_driver_listens_on_the_port_of_its_own_url(void **state)
{
    static const struct {
        const char *text;
        int64_t port;
    } cases[] = {
        {"[driver]\nname=d\nurl=http://127.0.0.1:18188/driver\nlog_level=INFO\n", 18188},
        {"[driver]\nurl=http://nat.example.com:8080\nport=18088\n", 18088},
        {"[driver]\nurl=http://host/driver\n", 18088},
        {"[driver]\nurl=http://[::1]:19000\n", 19000},
        {"[driver]\nurl=http://[::1]\n", 18088},
        {"[driver]\nname = d\n", 18088},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct driver_conf conf = {0};
        write_conf(cases[i].text);
        assert_int_equal(driver_conf_load(path, &conf, NULL), 0);
        assert_int_equal(conf.port, cases[i].port);
        driver_conf_release(&conf);
    }
}

static void without_a_file_there_are_defaults(void **state)
{
    struct driver_conf driver = {0};
    struct controller_conf controller = {0};
    (void)state;
    assert_int_equal(driver_conf_load(NULL, &driver, NULL), 0);
    assert_int_equal(driver.port, 18088);
    assert_int_equal(driver.threads, 0);
    assert_string_equal(driver.controller, "");
    driver_conf_release(&driver);
    assert_int_equal(controller_conf_load(NULL, &controller, NULL), 0);
    assert_int_equal(controller.drivers.len, 0);
    controller_conf_release(&controller);
}

static void comments_and_quotes_are_understood(void **state)
{
    static const char text[] = "\xef\xbb\xbf# top\n; too\n[ a ] # why\nk = v ; note\n"
                               "url = http://h/#x\nq = \"a # b\" # c\nempty =\nnone = # nothing\n";
    AUTO(conf_file_release) struct conf_file file = {.lines = {0}};
    (void)state;
    assert_int_equal(conf_parse("f", text, strlen(text), &file, NULL), 0);
    assert_string_equal(conf_find(&file, "A", "K"), "v");
    assert_string_equal(conf_find(&file, "a", "url"), "http://h/#x");
    assert_string_equal(conf_find(&file, "a", "q"), "a # b");
    assert_string_equal(conf_find(&file, "a", "empty"), "");
    assert_string_equal(conf_find(&file, "a", "none"), "");
    assert_null(conf_find(&file, "b", "k"));
    assert_int_equal(file.lines.items[0].line, 4);
}

static void a_bad_file_is_refused_with_its_name_and_line(void **state)
{
    static const struct {
        const char *text, *sentence; /* behind the path */
    } cases[] = {
        {"name=x\n", ":1: a key before the first [SECTION]"},
        {"[controller\n", ":1: expected [SECTION]"},
        {"[controller]\n\nname\n", ":3: expected [SECTION] or KEY = VALUE"},
        {"[driver]\nname=d\n", ": has no section [controller]"},
        {"[controller]\nconcurrency=none\n",
         ":2: concurrency: found \"none\", expected a whole number from 1 to 64"},
        {"[controller]\nport=99999\n",
         ":2: port: found \"99999\", expected a whole number from 0 to 65535"},
        {"[controller]\ndrivers=2\n[driver1]\nurl=http://h:1\n",
         ":2: drivers: is 2, but there is no section [driver2]"},
        {"[controller]\ndrivers=1\n[driver1]\nname=a\n", ": [driver1] has no url"},
        {"[controller]\ndrivers=1\n[driver1]\nurl=h:18088\n",
         ":4: url: found \"h:18088\", expected http://HOST[:PORT]"},
        {"[controller]\ndrivers=2\n[driver1]\nname=a\nurl=http://h:1\n[driver2]\nname=a\n"
         "url=http://h:2\n",
         ":7: name: there is another driver named a"},
        {"[controller]\ntls_cert=c.pem\n", ":2: tls_cert: tls_cert and tls_key only go together"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct controller_conf conf = {0};
        struct err err = {0};
        write_conf(cases[i].text);
        assert_int_equal(controller_conf_load(path, &conf, &err), ERR_CONFIG);
        assert_memory_equal(err.text, path, strlen(path));
        assert_string_equal(err.text + strlen(path), cases[i].sentence);
        controller_conf_release(&conf);
    }
}

static void a_file_that_is_not_there_is_said_so(void **state)
{
    struct driver_conf conf = {0};
    struct err err = {0};
    (void)state;
    assert_int_equal(driver_conf_load("/nonexistent/driver.conf", &conf, &err), ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "/nonexistent/driver.conf"));
    driver_conf_release(&conf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cosbenchs_controller_file_is_read_unchanged),
        cmocka_unit_test(a_driver_listens_on_the_port_of_its_own_url),
        cmocka_unit_test(without_a_file_there_are_defaults),
        cmocka_unit_test(comments_and_quotes_are_understood),
        cmocka_unit_test(a_bad_file_is_refused_with_its_name_and_line),
        cmocka_unit_test(a_file_that_is_not_there_is_said_so),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
