#pragma once

#include <stdbool.h>

/// Returns whether the process runs with the thread sanitizer, which makes it about 20 times slower.
bool thread_sanitizer_is_on(void);
