// The public suffix list and, on Linux and Android, functions that Swift's modules of the C libraries lack.
#pragma once

/// Returns the public suffix list, as a tree of labels; see PublicSuffixes.swift.
const char *catena_public_suffixes(void);

#if defined(__linux__)
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CatenaCipher.h"
#include "CatenaHash.h"

// These functions wrap those of the system, whose headers are not included: the types in them would belong to this
// module, so that Swift files which only import Glibc could not use them.

/// An event of epoll(7).
typedef struct {
  /// The events, as in `struct epoll_event`.
  uint32_t events;
  /// The number with which the descriptor is registered.
  uint64_t token;
} CatenaEpollEvent;

extern const uint32_t CatenaEpollIn;
extern const uint32_t CatenaEpollOut;
extern const uint32_t CatenaEpollReadHangup;
extern const uint32_t CatenaEpollHangup;
extern const uint32_t CatenaEpollError;
extern const uint32_t CatenaEpollEdgeTriggered;

extern const int CatenaEpollAdd;
extern const int CatenaEpollChange;
extern const int CatenaEpollRemove;

/// Calls epoll_create1(2) with EPOLL_CLOEXEC.
int catena_epoll_create(void);

/// Calls epoll_ctl(2) with an operation of those above.
int catena_epoll_control(int epoll, int operation, int descriptor, CatenaEpollEvent event);

/// Calls epoll_wait(2).
///
/// Returns the number of events, at most `capacity`, or -1 on failure. Without a limit in time if `milliseconds`
/// is -1.
int catena_epoll_wait(int epoll, CatenaEpollEvent *events, int capacity, int milliseconds);

/// Calls eventfd(2) with EFD_CLOEXEC and EFD_NONBLOCK.
int catena_eventfd(void);

/// Calls accept4(2) with SOCK_NONBLOCK and SOCK_CLOEXEC. Returns -1 and sets errno on failure.
int catena_accept(int listener);

/// Returns whether iconv(3) has the encoding EUC-JP.
bool catena_converts_from_eucjp(void);

/// Converts a text from EUC-JP to UTF-8 by iconv(3).
///
/// Returns the number of bytes in the output, or -1 if the input is not valid, or not complete, or the output has
/// not enough space.
long catena_convert_from_eucjp(
  const void *input, size_t inputSize, void *output, size_t outputSize);
#endif
