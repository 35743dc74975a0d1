#define _GNU_SOURCE
#include "CCatenaSystem.h"

#if defined(__GLIBC__)
#include <errno.h>
#include <linux/magic.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

int64_t catena_read_cached(int descriptor, void *bytes, size_t count, int64_t position) {
  struct iovec part = {bytes, count};
  ssize_t result = preadv2(descriptor, &part, 1, position, RWF_NOWAIT);
  // tmpfs does not support the flag, but its files are always in memory.
  struct statfs system;
  if (result < 0 && errno == EOPNOTSUPP && fstatfs(descriptor, &system) == 0 && system.f_type == TMPFS_MAGIC) {
    return pread(descriptor, bytes, count, position);
  }
  return result;
}
#else
int64_t catena_read_cached(int descriptor, void *bytes, size_t count, int64_t position) {
  return -1;
}
#endif

uint64_t catena_trace_count = 0;
bool catena_scopes_used = false;
_Thread_local void *catena_trampoline = 0;
