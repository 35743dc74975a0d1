// For accept4.
#define _GNU_SOURCE
#include "CCatena.h"

#if defined(__linux__)
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

const uint32_t CatenaEpollIn = EPOLLIN;
const uint32_t CatenaEpollOut = EPOLLOUT;
const uint32_t CatenaEpollReadHangup = EPOLLRDHUP;
const uint32_t CatenaEpollHangup = EPOLLHUP;
const uint32_t CatenaEpollError = EPOLLERR;
const uint32_t CatenaEpollEdgeTriggered = EPOLLET;

const int CatenaEpollAdd = EPOLL_CTL_ADD;
const int CatenaEpollChange = EPOLL_CTL_MOD;
const int CatenaEpollRemove = EPOLL_CTL_DEL;

int catena_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int catena_epoll_control(int epoll, int operation, int descriptor, CatenaEpollEvent event) {
  struct epoll_event system = {.events = event.events, .data = {.u64 = event.token}};
  return epoll_ctl(epoll, operation, descriptor, &system);
}

int catena_epoll_wait(int epoll, CatenaEpollEvent *events, int capacity, int milliseconds) {
  // The structure of the system is not larger, and is copied from the last event to the first one, so that the
  // memory of the caller has space for both.
  _Static_assert(sizeof(struct epoll_event) <= sizeof(CatenaEpollEvent), "an event of epoll is larger");
  struct epoll_event *system = (struct epoll_event *)events;
  // A process that was stopped and continued is interrupted here, even without a handler of a signal. It
  // must receive the events of the time in between before it looks at the clock.
  int count;
  do {
    count = epoll_wait(epoll, system, capacity, milliseconds);
    milliseconds = 0;
  } while (count < 0 && errno == EINTR);
  for (int index = count - 1; index >= 0; index--) {
    struct epoll_event event = system[index];
    events[index] = (CatenaEpollEvent){.events = event.events, .token = event.data.u64};
  }
  return count;
}

int catena_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int catena_accept(int listener) {
  return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

#if !defined(__ANDROID__)
#include <iconv.h>

// Returns a converter, or (iconv_t)-1.
static iconv_t open_eucjp(void) {
  // The variant with the characters of Windows, as in browsers. Not all C libraries know it.
  iconv_t converter = iconv_open("UTF-8", "EUC-JP-MS");
  return converter != (iconv_t)-1 ? converter : iconv_open("UTF-8", "EUC-JP");
}

bool catena_converts_from_eucjp(void) {
  iconv_t converter = open_eucjp();
  if (converter == (iconv_t)-1) return false;
  iconv_close(converter);
  return true;
}

long catena_convert_from_eucjp(
  const void *input, size_t inputSize, void *output, size_t outputSize) {
  iconv_t converter = open_eucjp();
  if (converter == (iconv_t)-1) return -1;
  char *from = (char *)input, *to = output;
  size_t missing = inputSize, free = outputSize;
  // A number above 0 counts characters that are replaced, which musl does.
  size_t replaced = iconv(converter, &from, &missing, &to, &free);
  iconv_close(converter);
  return replaced == 0 && missing == 0 ? to - (char *)output : -1;
}
#endif
#endif
