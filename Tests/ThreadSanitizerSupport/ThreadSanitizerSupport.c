// Lets the thread sanitizer see Swift's `Mutex` on Linux.
//
// The fast path of `Mutex` is inlined into the calling code, which is instrumented. The slow path for
// contended locks is in libswiftSynchronization, which is not instrumented. The sanitizer therefore does
// not see the synchronization between an unlock and the next lock on another thread, and reports races
// on the protected state. These two functions wrap the slow path and announce its acquire and release
// operations. They hide nothing else: a race on unprotected state is still reported.
#include "ThreadSanitizerSupport.h"

#if defined(__linux__) && defined(__clang__)
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define CONTEXT __attribute__((swift_context))

// Defined only in a process with the sanitizer.
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
