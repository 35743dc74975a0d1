// The public suffix list and, on Linux and Android, functions that Swift's modules of the C libraries lack.
#pragma once

/// Returns the public suffix list, as a tree of labels; see PublicSuffixes.swift.
const char *catena_public_suffixes(void);

#if defined(__linux__)
#include <stdint.h>
// Headers that Swift's module Glibc does not include.
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "CatenaCipher.h"
#include "CatenaHash.h"

// The events of epoll(7). Some C libraries declare an enumeration, others macros that Swift does not import.
static const uint32_t CatenaEpollIn = EPOLLIN;
static const uint32_t CatenaEpollOut = EPOLLOUT;
static const uint32_t CatenaEpollReadHangup = EPOLLRDHUP;
static const uint32_t CatenaEpollHangup = EPOLLHUP;
static const uint32_t CatenaEpollError = EPOLLERR;
static const uint32_t CatenaEpollEdgeTriggered = EPOLLET;

/// Calls accept4(2) with SOCK_NONBLOCK and SOCK_CLOEXEC, which Swift's module Glibc lacks. Returns -1 and sets
/// errno on failure.
int catena_accept(int listener);
#endif
