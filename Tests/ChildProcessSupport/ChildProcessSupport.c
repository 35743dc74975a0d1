// Functions that need `_GNU_SOURCE`, without which Swift imports Glibc.
#define _GNU_SOURCE
#include "ChildProcessSupport.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <TargetConditionals.h>
#endif

#if defined(__APPLE__) && !TARGET_OS_OSX
// These platforms cannot start programs.
int child_process_pipe(int ends[2]) { return ENOTSUP; }

int child_process_start(
    int *child, const char *program, char *const arguments[], char *const environment[],
    const char *folder, const int streams[3]) {
  return ENOTSUP;
}
#else
int child_process_pipe(int ends[2]) {
#if defined(__APPLE__)
  // Another part of the process could start a program before `FD_CLOEXEC` is set, which then inherits
  // the descriptors. Programs started by `child_process_start` do not.
  if (pipe(ends) != 0) return errno;
  for (int end = 0; end < 2; end++) fcntl(ends[end], F_SETFD, FD_CLOEXEC);
  return 0;
#else
  return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
#endif
}

static int set_signals(posix_spawnattr_t *attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int error = posix_spawnattr_setsigmask(attributes, &none);
  if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
#if defined(__APPLE__)
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
  if (!error) error = posix_spawnattr_setflags(attributes, flags);
  return error;
}

static int set_files(
    posix_spawn_file_actions_t *actions, const char *folder, const int streams[3]) {
  int error = 0;
  for (int stream = 0; stream < 3 && !error; stream++) {
    error = posix_spawn_file_actions_adddup2(actions, streams[stream], stream);
  }
#if !defined(__APPLE__)
  // One system call, because closing thousands of descriptors individually is slow.
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(actions, 3);
#endif
  if (!error && folder) error = posix_spawn_file_actions_addchdir_np(actions, folder);
  return error;
}

int child_process_start(
    int *child, const char *program, char *const arguments[], char *const environment[],
    const char *folder, const int streams[3]) {
  posix_spawnattr_t attributes;
  int error = posix_spawnattr_init(&attributes);
  if (error) return error;
  posix_spawn_file_actions_t actions;
  error = posix_spawn_file_actions_init(&actions);
  if (!error) {
    error = set_signals(&attributes);
    if (!error) error = set_files(&actions, folder, streams);
    if (!error) error = posix_spawnp(child, program, &actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
  }
  posix_spawnattr_destroy(&attributes);
  return error;
}
#endif
