// libcurl for a program that runs on machines without it. The functions below have the names of libcurl's, so that
// the code that calls them is the same. Each one calls the function of libcurl.so.4, which is opened at first use.
#define _GNU_SOURCE
#include "CCatenaCurl.h"

#if defined(__linux__) && defined(CATENA_STANDALONE)
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A variadic function is called with one argument: a long, a curl_off_t or a pointer. On the processors below, all of
// them are passed in the same way.
_Static_assert(sizeof(void *) == 8 && sizeof(long) == 8, "arguments of 64 bits");
#if !defined(__x86_64__) && !defined(__aarch64__)
#error "CATENA_STANDALONE is for x86-64 and 64-bit ARM"
#endif

#define LOADED __attribute__((visibility("hidden")))

/// CURLE_FAILED_INIT, CURLM_INTERNAL_ERROR and CURLSHE_NOMEM.
enum { easyFailure = 2, multiFailure = 4, shareFailure = 4 };

// Calls F with the type of the result, the name and the parameters of each function.
#define FUNCTIONS(F)                                                                   \
  F(int, curl_global_init, (long flags))                                               \
  F(const char *, curl_easy_strerror, (int code))                                      \
  F(void *, curl_easy_init, (void))                                                    \
  F(void, curl_easy_cleanup, (void *easy))                                             \
  F(void, curl_easy_reset, (void *easy))                                               \
  F(int, curl_easy_setopt, (void *easy, int option, ...))                              \
  F(int, curl_easy_getinfo, (void *easy, int info, ...))                               \
  F(int, curl_easy_pause, (void *easy, int bitmask))                                   \
  F(void *, curl_share_init, (void))                                                   \
  F(int, curl_share_setopt, (void *share, int option, ...))                            \
  F(int, curl_share_cleanup, (void *share))                                            \
  F(void *, curl_multi_init, (void))                                                   \
  F(int, curl_multi_cleanup, (void *multi))                                            \
  F(int, curl_multi_setopt, (void *multi, int option, ...))                            \
  F(int, curl_multi_add_handle, (void *multi, void *easy))                             \
  F(int, curl_multi_remove_handle, (void *multi, void *easy))                          \
  F(int, curl_multi_socket_action, (void *multi, int socket, int selected, int *running)) \
  F(void *, curl_multi_info_read, (void *multi, int *left))                            \
  F(void *, curl_version_info, (int age))

#define POINTER(result, name, parameters) result(*name) parameters;
static struct {
  FUNCTIONS(POINTER)
} curl;

/// The reason why the functions are missing, or empty.
static char problem[256];

static void open_library(void) {
  // Global, because the functions of OpenSSL that libcurl uses are looked up by name.
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    const char *reason = dlerror();
    snprintf(
      problem, sizeof problem, "libcurl.so.4 not found; install libcurl4 (%s)", reason ? reason : "unknown");
    return;
  }
#define FIND(result, name, parameters)                                                 \
  *(void **)&curl.name = dlsym(library, #name);                                        \
  if (!curl.name) snprintf(problem, sizeof problem, "libcurl.so.4 has no function " #name);
  FUNCTIONS(FIND)
}

static bool is_open(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return !problem[0];
}

const char *catena_curl_problem(void) { return is_open() ? NULL : problem; }

// MARK: The functions

LOADED int curl_global_init(long flags) { return is_open() ? curl.curl_global_init(flags) : easyFailure; }

LOADED const char *curl_easy_strerror(int code) {
  return is_open() ? curl.curl_easy_strerror(code) : problem;
}

LOADED void *curl_easy_init(void) { return is_open() ? curl.curl_easy_init() : NULL; }

LOADED void curl_easy_cleanup(void *easy) {
  if (is_open()) curl.curl_easy_cleanup(easy);
}

LOADED void curl_easy_reset(void *easy) {
  if (is_open()) curl.curl_easy_reset(easy);
}

// Passes on the one argument of a variadic function.
#define PASS(function, failure, handle, option)                                        \
  if (!is_open()) return failure;                                                      \
  va_list list;                                                                        \
  va_start(list, option);                                                              \
  void *argument = va_arg(list, void *);                                               \
  va_end(list);                                                                        \
  return curl.function(handle, option, argument)

LOADED int curl_easy_setopt(void *easy, int option, ...) {
  PASS(curl_easy_setopt, easyFailure, easy, option);
}

LOADED int curl_easy_getinfo(void *easy, int info, ...) {
  PASS(curl_easy_getinfo, easyFailure, easy, info);
}

LOADED int curl_easy_pause(void *easy, int bitmask) {
  return is_open() ? curl.curl_easy_pause(easy, bitmask) : easyFailure;
}

LOADED void *curl_share_init(void) { return is_open() ? curl.curl_share_init() : NULL; }

LOADED int curl_share_setopt(void *share, int option, ...) {
  PASS(curl_share_setopt, shareFailure, share, option);
}

LOADED int curl_share_cleanup(void *share) {
  return is_open() ? curl.curl_share_cleanup(share) : shareFailure;
}

LOADED void *curl_multi_init(void) { return is_open() ? curl.curl_multi_init() : NULL; }

LOADED int curl_multi_cleanup(void *multi) {
  return is_open() ? curl.curl_multi_cleanup(multi) : multiFailure;
}

LOADED int curl_multi_setopt(void *multi, int option, ...) {
  PASS(curl_multi_setopt, multiFailure, multi, option);
}

LOADED int curl_multi_add_handle(void *multi, void *easy) {
  return is_open() ? curl.curl_multi_add_handle(multi, easy) : multiFailure;
}

LOADED int curl_multi_remove_handle(void *multi, void *easy) {
  return is_open() ? curl.curl_multi_remove_handle(multi, easy) : multiFailure;
}

LOADED int curl_multi_socket_action(void *multi, int socket, int selected, int *running) {
  return is_open() ? curl.curl_multi_socket_action(multi, socket, selected, running) : multiFailure;
}

LOADED void *curl_multi_info_read(void *multi, int *left) {
  return is_open() ? curl.curl_multi_info_read(multi, left) : NULL;
}

LOADED void *curl_version_info(int age) { return is_open() ? curl.curl_version_info(age) : NULL; }
#endif
