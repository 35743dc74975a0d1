#pragma once

#include <stdbool.h>

/// Whether the thread sanitizer runs in this process, which makes everything some twenty times slower.
bool thread_sanitizer_is_on(void);
