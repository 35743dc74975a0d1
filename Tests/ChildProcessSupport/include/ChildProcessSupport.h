#pragma once

#include <sys/types.h>

/// Makes a pipe whose ends no program inherits: `ends[0]` to read from, `ends[1]` to write to.
///
/// Returns 0 or the number of an error.
int child_process_pipe(int ends[2]);

/// Starts a program that has three descriptors and no other, no signal blocked and none ignored.
///
/// - `program`: a path, or a name to look for in `PATH`.
/// - `arguments`, `environment`: strings with a null pointer behind the last.
/// - `folder`: where it works; null is where this process does.
/// - `streams`: this process's descriptors that become its standard input, output and error.
///
/// Returns 0 and sets `child`, or returns the number of an error; that of a program that is not there or
/// cannot be run is among them.
int child_process_start(
    pid_t *child, const char *program, char *const arguments[], char *const environment[],
    const char *folder, const int streams[3]);
