// Tells the thread sanitizer of the waits inside Synchronization.Mutex.
//
// The fast path of a Mutex is inlined and so instrumented. When two threads meet, it goes on inside
// libswiftSynchronization, which is not: the sanitizer sees no order between the two and reports a race
// in what the lock protects, even in a program of six lines. These two functions stand before the
// library's own, and say what those do: to have locked is to have acquired, to unlock is to release.
//
// Linked into the tests of the sanitizer's run only, by .ci/run; on Linux only.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

#define SWIFT_CALL __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))

typedef SWIFT_CALL void (*Lock)(uint32_t thread, SWIFT_SELF void *self);
typedef SWIFT_CALL void (*Unlock)(SWIFT_SELF void *self);

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

static Lock next_lock;
static Unlock next_unlock;

__attribute__((constructor)) static void find_the_library(void) {
  next_lock = (Lock)dlsym(RTLD_NEXT, LOCK);
  next_unlock = (Unlock)dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT_CALL void lock_slow(uint32_t thread, SWIFT_SELF void *self) __asm__(LOCK);
SWIFT_CALL void lock_slow(uint32_t thread, SWIFT_SELF void *self) {
  next_lock(thread, self);
  __tsan_acquire(self);
}

SWIFT_CALL void unlock_slow(SWIFT_SELF void *self) __asm__(UNLOCK);
SWIFT_CALL void unlock_slow(SWIFT_SELF void *self) {
  __tsan_release(self);
  next_unlock(self);
}
