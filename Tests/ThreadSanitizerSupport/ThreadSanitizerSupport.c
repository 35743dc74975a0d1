// Lets the thread sanitizer see Swift's `Mutex` on Linux.
//
// The fast path of `Mutex` is compiled into the code that uses it, where the sanitizer watches it. Its
// slow path, taken when threads meet, is in libswiftSynchronization, which is not instrumented: an
// unlock there that another thread's lock follows looks like no synchronisation at all, and what the
// lock protects like a data race. These two functions stand in front of the slow path, call it, and say
// what it does. They hide nothing else: a race on unlocked state is still reported.
#include "ThreadSanitizerSupport.h"

#if defined(__linux__) && defined(__clang__)
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define CONTEXT __attribute__((swift_context))

// Present only in a process that the sanitizer runs in.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

// Synchronization._MutexHandle._lockSlow(Swift.UInt32) -> ()
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
// Synchronization._MutexHandle._unlockSlow() -> ()
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void (*LockSlow)(uint32_t thread, CONTEXT void *handle);
typedef SWIFT void (*UnlockSlow)(CONTEXT void *handle);

SWIFT void mutex_lock_slow(uint32_t thread, CONTEXT void *handle) __asm__(LOCK_SLOW);
SWIFT void mutex_unlock_slow(CONTEXT void *handle) __asm__(UNLOCK_SLOW);

bool thread_sanitizer_is_on(void) { return __tsan_acquire != 0; }

SWIFT void mutex_lock_slow(uint32_t thread, CONTEXT void *handle) {
  ((LockSlow)dlsym(RTLD_NEXT, LOCK_SLOW))(thread, handle);
  if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void mutex_unlock_slow(CONTEXT void *handle) {
  if (__tsan_release) __tsan_release(handle);
  ((UnlockSlow)dlsym(RTLD_NEXT, UNLOCK_SLOW))(handle);
}
#else
bool thread_sanitizer_is_on(void) { return false; }
#endif
