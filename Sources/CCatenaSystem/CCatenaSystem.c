#include "CCatenaSystem.h"

uint64_t catena_trace_count = 0;
bool catena_scopes_used = false;
_Thread_local void *catena_trampoline = 0;
