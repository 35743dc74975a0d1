// The upper bound: requests with libcurl's multi interface on one thread, with reused easy handles. Bodies
// are copied and discarded. Prints the same JSON as LoadSupport's Outcome.
//
// libcurl's functions are declared here, so that its -dev package is not required. The numbers are part of
// its stable ABI.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include "CInstructions.h"

enum {
  OptionUserData = 10103,
  OptionURL = 10002,
  OptionWriteFunction = 20011,
  OptionWriteData = 10001,
  OptionNoSignal = 99,
  OptionHeader = 10023,
  OptionCAInfo = 10065,
  OptionHTTPVersion = 84,
  OptionPipeWait = 237,
  OptionSessionIDCache = 150,
  MultiSocketFunction = 20001,
  MultiTimerFunction = 20004,
  MultiMaxConnects = 6,
  MultiMaxHostConnections = 7,
  InfoResponseCode = 0x200000 + 2,
  InfoPrivate = 0x100000 + 21,
};

typedef struct {
  int message;
  void *easy;
  union {
    void *whatever;
    int result;
  } data;
} Message;

extern int curl_global_init(long);
extern void *curl_slist_append(void *, const char *);
extern void *curl_easy_init(void);
extern int curl_easy_setopt(void *, int, ...);
extern int curl_easy_getinfo(void *, int, ...);
extern void *curl_multi_init(void);
extern int curl_multi_setopt(void *, int, ...);
extern int curl_multi_add_handle(void *, void *);
extern int curl_multi_remove_handle(void *, void *);
extern int curl_multi_perform(void *, int *);
extern int curl_multi_poll(void *, void *, unsigned, int, int *);
extern int curl_multi_socket_action(void *, int, int, int *);
extern Message *curl_multi_info_read(void *, int *);

static void *multi;
static int poller;
static long timeout_milliseconds = -1;

typedef struct {
  int length;
  char body[60];
} Response;

static size_t on_body(char *bytes, size_t size, size_t count, void *context) {
  Response *response = context;
  size_t rest = sizeof response->body - 1 - response->length;
  size_t taken = size * count < rest ? size * count : rest;
  memcpy(response->body + response->length, bytes, taken);
  response->length += taken;
  return size * count;
}

static int on_socket(void *easy, int socket, int what, void *context, void *known) {
  struct epoll_event event = {.data.fd = socket};
  if (what == 4) {
    epoll_ctl(poller, EPOLL_CTL_DEL, socket, &event);
    return 0;
  }
  event.events = (what & 1 ? EPOLLIN : 0) | (what & 2 ? EPOLLOUT : 0);
  if (epoll_ctl(poller, EPOLL_CTL_MOD, socket, &event) < 0 && errno == ENOENT) {
    epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event);
  }
  return 0;
}

static int on_timer(void *handle, long milliseconds, void *context) {
  timeout_milliseconds = milliseconds;
  return 0;
}

static const char *option(int count, char **words, const char *name, const char *absent) {
  for (int i = 2; i + 1 < count; i += 2) {
    if (strcmp(words[i] + 2, name) == 0) return words[i + 1];
  }
  return absent;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static double cpu(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
         (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static long status_bytes(const char *name) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  long kilobytes = 0;
  while (file && fgets(line, sizeof line, file)) {
    if (strncmp(line, name, strlen(name)) == 0) kilobytes = atol(line + strlen(name));
  }
  if (file) fclose(file);
  return kilobytes * 1024;
}

// Transfers data that is available; `wait_by_poll` waits for more.
static void turn_by_poll(void) {
  int running;
  curl_multi_perform(multi, &running);
}

static void wait_by_poll(void) { curl_multi_poll(multi, NULL, 0, 1000, NULL); }

static void turn_by_epoll(void) {
  struct epoll_event events[256];
  int running;
  int count = epoll_wait(poller, events, 256, (int)timeout_milliseconds);
  if (count == 0) {
    timeout_milliseconds = -1;
    curl_multi_socket_action(multi, -1, 0, &running);
  }
  for (int i = 0; i < count; i++) {
    int selected = (events[i].events & (EPOLLIN | EPOLLHUP) ? 1 : 0) |
                   (events[i].events & EPOLLOUT ? 2 : 0) | (events[i].events & EPOLLERR ? 4 : 0);
    curl_multi_socket_action(multi, events[i].data.fd, selected, &running);
  }
  if (timeout_milliseconds == 0) {
    timeout_milliseconds = -1;
    curl_multi_socket_action(multi, -1, 0, &running);
  }
}

static long run(void **easies, long requests, long at_once, int by_epoll) {
  long started = 0, done = 0, failures = 0;
  for (; started < at_once && started < requests; started++) {
    curl_multi_add_handle(multi, easies[started]);
  }
  while (done < requests) {
    if (by_epoll) turn_by_epoll(); else turn_by_poll();
    Message *message;
    int left, any = 0;
    while ((message = curl_multi_info_read(multi, &left))) {
      long status = 0;
      void *easy = message->easy;
      Response *response = NULL;
      curl_easy_getinfo(easy, InfoResponseCode, &status);
      curl_easy_getinfo(easy, InfoPrivate, &response);
      failures += message->data.result != 0 || status != 200 || response->length == 0;
      response->length = 0;
      done++;
      any = 1;
      curl_multi_remove_handle(multi, easy);
      if (started < requests) {
        started++;
        curl_multi_add_handle(multi, easy);
      }
    }
    if (!any && !by_epoll && done < requests) wait_by_poll();
  }
  return failures;
}

int main(int count, char **words) {
  long requests = atol(option(count, words, "requests", "1"));
  long at_once = atol(option(count, words, "at-once", "1"));
  long warm_up = atol(option(count, words, "warm-up", "0"));
  int by_epoll = strcmp(option(count, words, "by", "poll"), "epoll") == 0;
  int is_http2 = strcmp(option(count, words, "http", "1"), "2") == 0;
  const char *ca = option(count, words, "ca", NULL);
  int resumes = strcmp(option(count, words, "resume", "yes"), "no") != 0;
  char *urls[16];
  int url_count = 0;
  char *list = strdup(option(count, words, "url", ""));
  for (char *url = strtok(list, ","); url && url_count < 16; url = strtok(NULL, ",")) {
    char *whole = malloc(strlen(url) + 16);
    sprintf(whole, "%sboards/7", url);
    urls[url_count++] = whole;
  }
  if (at_once > requests) at_once = requests;
  if (url_count == 0 || at_once < 1) return 2;

  curl_global_init(3);
  multi = curl_multi_init();
  curl_multi_setopt(multi, MultiMaxConnects, at_once);
  if (is_http2) curl_multi_setopt(multi, MultiMaxHostConnections, 1L);
  if (by_epoll) {
    poller = epoll_create1(0);
    curl_multi_setopt(multi, MultiSocketFunction, on_socket);
    curl_multi_setopt(multi, MultiTimerFunction, on_timer);
  }
  long resident = status_bytes("VmRSS:");
  // The same fields as LoadSupport's wireFields.
  void *fields = curl_slist_append(NULL, "Accept-Encoding: br, gzip, deflate");
  fields = curl_slist_append(fields, "Accept-Language: en-001");
  fields = curl_slist_append(fields, "User-Agent: benchmark (Debian GNU/Linux 12 bookworm) Catena");
  fields = curl_slist_append(fields, "Accept: application/json");
  void **easies = calloc(at_once, sizeof *easies);
  for (long i = 0; i < at_once; i++) {
    void *easy = easies[i] = curl_easy_init();
    Response *response = calloc(1, sizeof *response);
    curl_easy_setopt(easy, OptionURL, urls[i % url_count]);
    curl_easy_setopt(easy, OptionWriteFunction, on_body);
    curl_easy_setopt(easy, OptionWriteData, response);
    curl_easy_setopt(easy, OptionUserData, response);
    curl_easy_setopt(easy, OptionNoSignal, 1L);
    // CURL_HTTP_VERSION_2TLS, CURL_HTTP_VERSION_1_1.
    curl_easy_setopt(easy, OptionHTTPVersion, is_http2 ? 4L : 2L);
    if (is_http2) curl_easy_setopt(easy, OptionPipeWait, 1L);
    curl_easy_setopt(easy, OptionHeader, fields);
    if (!resumes) curl_easy_setopt(easy, OptionSessionIDCache, 0L);
    if (ca) curl_easy_setopt(easy, OptionCAInfo, ca);
  }

  if (warm_up > 0) run(easies, warm_up, at_once, by_epoll);
  double time = now(), cpu_time = cpu();
  start_instruction_count();
  long failures = run(easies, requests, at_once, by_epoll);
  int64_t instructions = stop_instruction_count();
  double seconds = now() - time, cpu_seconds = cpu() - cpu_time;
  long peak = status_bytes("VmHWM:");
  printf(
      "{\"requests\":%ld,\"failures\":%ld,\"seconds\":%f,\"cpuSeconds\":%f,\"instructions\":%lld,"
      "\"peakBytes\":%ld,\"growthBytes\":%ld}\n",
      requests, failures, seconds, cpu_seconds, (long long)instructions, peak, peak - resident);
  return failures > 0;
}
