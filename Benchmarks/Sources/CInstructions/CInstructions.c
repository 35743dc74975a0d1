#define _GNU_SOURCE  // For syscall.
#include "CInstructions.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS
#endif

#ifdef __linux__
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int counter = -1;

// Before main, because the counter includes only threads that start after this.
__attribute__((constructor)) static void open_counter(void) {
  // A counter makes thread switches slower.
  if (!getenv("COUNT_INSTRUCTIONS")) return;
  struct perf_event_attr event = {
      .type = PERF_TYPE_HARDWARE, .size = sizeof event, .config = PERF_COUNT_HW_INSTRUCTIONS,
      .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
      .inherit = 1, .exclude_kernel = 1, .exclude_hv = 1};
  counter = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int64_t instructions_so_far(void) {
  struct {
    uint64_t count, enabled, running;
  } value;
  if (read(counter, &value, sizeof value) != sizeof value || value.running == 0) return 0;
  // The counter runs a part of the time if there are more events than the processor has counters.
  return (int64_t)((double)value.count * value.enabled / value.running);
}
#else
static int64_t instructions_so_far(void) { return 0; }
#endif

static int64_t start;

void start_instruction_count(void) {
  start = instructions_so_far();
  CALLGRIND_ZERO_STATS;
}

int64_t stop_instruction_count(void) {
  CALLGRIND_DUMP_STATS;
  return instructions_so_far() - start;
}
