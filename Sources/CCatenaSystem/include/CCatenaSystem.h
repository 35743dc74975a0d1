// A lock and atomic operations for systems without Swift's module Synchronization, a system call that Swift's
// module of glibc lacks, and global variables that Swift reads without a call.

#ifndef CCATENASYSTEM_H
#define CCATENASYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if __APPLE__
#include <os/lock.h>
typedef os_unfair_lock CatenaLock;
#else
#include <pthread.h>
typedef pthread_mutex_t CatenaLock;
#endif

// MARK: - Lock

// The address of a lock must not change.

static inline void catena_lock_init(CatenaLock *_Nonnull lock) {
#if __APPLE__
  *lock = OS_UNFAIR_LOCK_INIT;
#else
  pthread_mutex_init(lock, 0);
#endif
}

static inline void catena_lock_destroy(CatenaLock *_Nonnull lock) {
#if !__APPLE__
  pthread_mutex_destroy(lock);
#endif
}

static inline void catena_lock_lock(CatenaLock *_Nonnull lock) {
#if __APPLE__
  os_unfair_lock_lock(lock);
#else
  pthread_mutex_lock(lock);
#endif
}

static inline void catena_lock_unlock(CatenaLock *_Nonnull lock) {
#if __APPLE__
  os_unfair_lock_unlock(lock);
#else
  pthread_mutex_unlock(lock);
#endif
}

// MARK: - Atomic operations

// The orders of C11's memory_order. An order is a constant where the functions are inlined, and costs
// nothing there.
enum {
  CATENA_RELAXED = __ATOMIC_RELAXED,
  CATENA_ACQUIRE = __ATOMIC_ACQUIRE,
  CATENA_RELEASE = __ATOMIC_RELEASE,
  CATENA_ACQ_REL = __ATOMIC_ACQ_REL,
  CATENA_SEQ_CST = __ATOMIC_SEQ_CST
};

static inline uint64_t catena_atomic_load(const uint64_t *_Nonnull cell, int order) {
  return __atomic_load_n(cell, order);
}

static inline void catena_atomic_store(uint64_t *_Nonnull cell, uint64_t value, int order) {
  __atomic_store_n(cell, value, order);
}

// The following functions return the former value.

static inline uint64_t catena_atomic_exchange(
    uint64_t *_Nonnull cell, uint64_t value, int order) {
  return __atomic_exchange_n(cell, value, order);
}

static inline uint64_t catena_atomic_compare_exchange(
    uint64_t *_Nonnull cell, uint64_t expected, uint64_t desired, int order) {
  int failure_order = order == __ATOMIC_ACQ_REL ? __ATOMIC_ACQUIRE
                      : order == __ATOMIC_RELEASE ? __ATOMIC_RELAXED : order;
  __atomic_compare_exchange_n(cell, &expected, desired, 0, order, failure_order);
  return expected;
}

static inline uint64_t catena_atomic_add(uint64_t *_Nonnull cell, uint64_t value, int order) {
  return __atomic_fetch_add(cell, value, order);
}

static inline uint64_t catena_atomic_and(uint64_t *_Nonnull cell, uint64_t value, int order) {
  return __atomic_fetch_and(cell, value, order);
}

static inline uint64_t catena_atomic_or(uint64_t *_Nonnull cell, uint64_t value, int order) {
  return __atomic_fetch_or(cell, value, order);
}

// MARK: - Files

/// Reads bytes of a file that are in the memory of the system, without waiting for a device.
///
/// Returns the number of bytes, 0 at the end, or -1 if the first byte is not in memory, or if that cannot be known.
int64_t catena_read_cached(int descriptor, void *_Nullable bytes, size_t count, int64_t position);

// MARK: - Global variables

// Swift calls a function of the other module, or `swift_once`, for each access to its own global variables.

extern uint64_t catena_trace_count;
extern bool catena_scopes_used;
extern _Thread_local void *_Nullable catena_trampoline;

/// Whether any operation is traced in this process.
static inline bool catena_is_tracing(void) {
  return __atomic_load_n(&catena_trace_count, __ATOMIC_RELAXED) != 0;
}

/// Adds a number to the count of traced operations.
static inline void catena_add_traces(int64_t number) {
  __atomic_fetch_add(&catena_trace_count, (uint64_t)number, __ATOMIC_RELAXED);
}

/// Whether any scope of handlers has been entered in this process.
static inline bool catena_uses_scopes(void) {
  return __atomic_load_n(&catena_scopes_used, __ATOMIC_RELAXED);
}

static inline void catena_use_scopes(void) {
  __atomic_store_n(&catena_scopes_used, true, __ATOMIC_RELAXED);
}

/// The trampoline of this thread.
static inline void *_Nullable catena_get_trampoline(void) { return catena_trampoline; }

static inline void catena_set_trampoline(void *_Nullable trampoline) {
  catena_trampoline = trampoline;
}

#endif
