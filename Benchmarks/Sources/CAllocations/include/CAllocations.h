#pragma once
#include <stdint.h>

/// How many heap blocks this process has asked for so far; 0 where it cannot be counted.
uint64_t allocations_so_far(void);
/// How many bytes of heap blocks are in use, as the allocator rounds them.
uint64_t bytes_in_use(void);
