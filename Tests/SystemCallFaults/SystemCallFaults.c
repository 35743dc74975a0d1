// Replaces system calls of the process that links this target.
//
// The dynamic linker finds the definitions of the executable before those of the C library, so that they
// also apply to calls from shared libraries, as with LD_PRELOAD.
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "SystemCallFaults.h"

#include <stddef.h>

static const char *const names[FAULTY_CALLS] = {
  "open", "close", "read", "write", "pread", "pwrite", "fsync", "flock", "fstat", "lstat", "stat",
  "mkdir", "rename", "remove", "opendir", "readdir"};

const char *faults_name(int call) { return call >= 0 && call < FAULTY_CALLS ? names[call] : NULL; }

#if defined(__linux__)
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define DESCRIPTORS 65536
#define STREAMS 64

static char watched_folder[1024];
static atomic_bool watched_descriptors[DESCRIPTORS];
static _Atomic(DIR *) watched_streams[STREAMS];
static atomic_int armed_call = -1, armed_nth, armed_error, calls;
static atomic_bool armed_forever;

void faults_watch(const char *folder) {
  strncpy(watched_folder, folder, sizeof watched_folder - 1);
}

void faults_arm(int call, int nth, int error, bool forever) {
  armed_nth = nth;
  armed_error = error;
  armed_forever = forever;
  calls = 0;
  armed_call = call;
}

int faults_disarm(void) {
  armed_call = -1;
  return calls;
}

static bool is_below(const char *path) {
  size_t length = strlen(watched_folder);
  return length > 0 && path != NULL && strncmp(path, watched_folder, length) == 0;
}

static bool is_watched(int descriptor) {
  return descriptor >= 0 && descriptor < DESCRIPTORS && watched_descriptors[descriptor];
}

// Counts a call, and returns whether it has to fail.
static bool fails(int call, bool is_watched_file) {
  if (!is_watched_file || armed_call != call) return false;
  int count = atomic_fetch_add(&calls, 1) + 1;
  return count == armed_nth || (armed_forever && count > armed_nth);
}

// Returns whether a call has to fail with an error, which is then in errno.
static bool fails_with_error(int call, bool is_watched_file) {
  if (!fails(call, is_watched_file)) return false;
  errno = armed_error;
  return true;
}

#define REAL(name) \
  static _Atomic(__typeof__(&name)) found; \
  __typeof__(&name) real = atomic_load(&found); \
  if (real == NULL) atomic_store(&found, real = (__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
      va_list list; \
      va_start(list, flags); \
      mode = va_arg(list, mode_t); \
      va_end(list); \
    } \
    bool is_watched_file = is_below(path); \
    if (fails_with_error(FAULTY_OPEN, is_watched_file)) return -1; \
    int descriptor = real(path, flags, mode); \
    if (descriptor >= 0 && descriptor < DESCRIPTORS) \
      watched_descriptors[descriptor] = is_watched_file; \
    return descriptor; \
  }
OPEN(open)
OPEN(open64)

int close(int descriptor) {
  REAL(close);
  bool is_failing = fails(FAULTY_CLOSE, is_watched(descriptor));
  if (descriptor >= 0 && descriptor < DESCRIPTORS) watched_descriptors[descriptor] = false;
  // Linux closes the descriptor even if close fails.
  int result = real(descriptor);
  if (!is_failing) return result;
  errno = armed_error;
  return -1;
}

// Applies a fault to a call that transfers bytes.
#define TRANSFER(call, arguments) \
  if (fails(call, is_watched(descriptor))) { \
    if (armed_error != 0) { \
      errno = armed_error; \
      return -1; \
    } \
    if (count > 1) count /= 2; \
  } \
  return real arguments

ssize_t read(int descriptor, void *bytes, size_t count) {
  REAL(read);
  TRANSFER(FAULTY_READ, (descriptor, bytes, count));
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  REAL(write);
  TRANSFER(FAULTY_WRITE, (descriptor, bytes, count));
}

#define POSITIONED(name, call, pointer, offset_type) \
  ssize_t name(int descriptor, pointer bytes, size_t count, offset_type offset) { \
    REAL(name); \
    TRANSFER(call, (descriptor, bytes, count, offset)); \
  }
POSITIONED(pread, FAULTY_PREAD, void *, off_t)
POSITIONED(pread64, FAULTY_PREAD, void *, off64_t)
POSITIONED(pwrite, FAULTY_PWRITE, const void *, off_t)
POSITIONED(pwrite64, FAULTY_PWRITE, const void *, off64_t)

int fsync(int descriptor) {
  REAL(fsync);
  return fails_with_error(FAULTY_FSYNC, is_watched(descriptor)) ? -1 : real(descriptor);
}

int flock(int descriptor, int operation) {
  REAL(flock);
  // The lock is always released, as by the kernel when a descriptor is closed.
  if (operation != LOCK_UN && fails_with_error(FAULTY_FLOCK, is_watched(descriptor))) return -1;
  return real(descriptor, operation);
}

int fstat(int descriptor, struct stat *status) {
  REAL(fstat);
  return fails_with_error(FAULTY_FSTAT, is_watched(descriptor)) ? -1 : real(descriptor, status);
}

#define BY_PATH(name, call, parameters, arguments) \
  int name parameters { \
    REAL(name); \
    return fails_with_error(call, is_below(path)) ? -1 : real arguments; \
  }
BY_PATH(lstat, FAULTY_LSTAT, (const char *path, struct stat *status), (path, status))
BY_PATH(stat, FAULTY_STAT, (const char *path, struct stat *status), (path, status))
BY_PATH(mkdir, FAULTY_MKDIR, (const char *path, mode_t mode), (path, mode))
BY_PATH(rename, FAULTY_RENAME, (const char *path, const char *target), (path, target))
BY_PATH(remove, FAULTY_REMOVE, (const char *path), (path))

DIR *opendir(const char *path) {
  REAL(opendir);
  if (fails_with_error(FAULTY_OPENDIR, is_below(path))) return NULL;
  DIR *stream = real(path);
  if (stream == NULL || !is_below(path)) return stream;
  for (int index = 0; index < STREAMS; index++) {
    DIR *none = NULL;
    if (atomic_compare_exchange_strong(&watched_streams[index], &none, stream)) break;
  }
  return stream;
}

static bool is_watched_stream(DIR *stream) {
  for (int index = 0; index < STREAMS; index++)
    if (watched_streams[index] == stream) return true;
  return false;
}

int closedir(DIR *stream) {
  REAL(closedir);
  for (int index = 0; index < STREAMS; index++) {
    DIR *expected = stream;
    if (atomic_compare_exchange_strong(&watched_streams[index], &expected, NULL)) break;
  }
  return real(stream);
}

struct dirent *readdir(DIR *stream) {
  REAL(readdir);
  return fails_with_error(FAULTY_READDIR, is_watched_stream(stream)) ? NULL : real(stream);
}

static char held_host[256];
static sem_t resolver_waits, resolver_released;

void faults_hold_resolver(const char *host) {
  sem_init(&resolver_waits, 0, 0);
  sem_init(&resolver_released, 0, 0);
  strncpy(held_host, host, sizeof held_host - 1);
}

void faults_await_resolver(void) {
  while (sem_wait(&resolver_waits) && errno == EINTR) continue;
}

void faults_release_resolver(void) { sem_post(&resolver_released); }

int getaddrinfo(
  const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
  REAL(getaddrinfo);
  if (host != NULL && held_host[0] != 0 && strcmp(host, held_host) == 0) {
    sem_post(&resolver_waits);
    while (sem_wait(&resolver_released) && errno == EINTR) continue;
    return EAI_FAIL;
  }
  return real(host, service, hints, result);
}
#else
void faults_watch(const char *folder) { (void)folder; }
void faults_arm(int call, int nth, int error, bool forever) {
  (void)call, (void)nth, (void)error, (void)forever;
}
int faults_disarm(void) { return 0; }
void faults_hold_resolver(const char *host) { (void)host; }
void faults_await_resolver(void) {}
void faults_release_resolver(void) {}
#endif
