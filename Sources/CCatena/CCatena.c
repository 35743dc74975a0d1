// For accept4.
#define _GNU_SOURCE
#include "CCatena.h"

#if defined(__linux__)
#include <sys/socket.h>

int catena_accept(int listener) {
  return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
#endif
