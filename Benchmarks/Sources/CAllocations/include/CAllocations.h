#pragma once
#include <stdint.h>

/// Returns the number of heap blocks that the calling thread has allocated; always 0 outside Linux.
///
/// It excludes other threads: a shared counter would cost each thread as much as the allocation that
/// it counts.
uint64_t allocations_so_far(void);

/// Starts to count the blocks of all threads, which slows down each of them.
void count_all_threads(void);

/// Returns the number of heap blocks that all threads have allocated since `count_all_threads`;
/// always 0 outside Linux.
uint64_t allocations_of_all_threads(void);

/// Returns the number of bytes in heap blocks that are in use by all threads, as the allocator rounds
/// them; 0 outside Linux.
uint64_t bytes_in_use(void);
