#pragma once
#include <stdint.h>

/// Starts a count of the instructions of all threads, also in callgrind if the process runs in it.
void start_instruction_count(void);

/// Returns the number of instructions outside the kernel since the start of the count.
///
/// Returns 0 if the processor does not count them, or without `COUNT_INSTRUCTIONS` in the environment. callgrind writes its count to its next output file.
int64_t stop_instruction_count(void);
