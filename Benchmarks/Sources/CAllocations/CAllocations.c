// Counts heap allocations by replacing the functions of glibc's allocator, which also exports them
// under internal names. The symbols of the executable take precedence over those of the C library
// for every library in the process, so the allocations of the Swift runtime are counted too.
#include "CAllocations.h"

#if defined(__linux__)
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

// In an executable an access is one instruction, at a fixed offset from the thread register.
static _Thread_local uint64_t count;

// The count of all threads is optional, because it costs about as much as an allocation.
static atomic_bool counts_all;
static _Atomic uint64_t count_of_all;

static inline void note(void) {
  count += 1;
  if (atomic_load_explicit(&counts_all, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&count_of_all, 1, memory_order_relaxed);
  }
}

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
  note();
  return __libc_calloc(n, size);
}

void *realloc(void *block, size_t size) {
  note();
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
  note();
  *out = __libc_memalign(alignment, size);
  return *out == NULL ? 12 /* ENOMEM */ : 0;
}

void free(void *block) { __libc_free(block); }

uint64_t allocations_so_far(void) { return count; }

void count_all_threads(void) { atomic_store(&counts_all, true); }

uint64_t allocations_of_all_threads(void) { return atomic_load(&count_of_all); }

// Blocks in the heaps, and large blocks with separate memory mappings.
uint64_t bytes_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return (uint64_t)(info.uordblks + info.hblkhd);
}
#else
uint64_t allocations_so_far(void) { return 0; }
void count_all_threads(void) {}
uint64_t allocations_of_all_threads(void) { return 0; }
uint64_t bytes_in_use(void) { return 0; }
#endif
