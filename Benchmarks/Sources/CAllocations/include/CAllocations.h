#pragma once
#include <stdint.h>

/// How many heap blocks the calling thread has asked for so far; always 0 off Linux.
///
/// Other threads' blocks are not in it: a counter that all of them share would cost each of them as
/// much as the allocation that it counts.
uint64_t allocations_so_far(void);

/// From here on the blocks of all threads are counted too, which slows each of them down.
void count_all_threads(void);

/// How many heap blocks all threads have asked for since `count_all_threads`; always 0 off Linux.
uint64_t allocations_of_all_threads(void);

/// How many bytes of heap blocks all threads have in use, as the allocator rounds them; 0 off Linux.
uint64_t bytes_in_use(void);
