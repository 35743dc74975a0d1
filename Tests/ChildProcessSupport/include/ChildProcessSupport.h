// Includes nothing, so that the names of the system's headers belong to the system's module alone.
#pragma once

/// Creates a pipe whose ends are closed on `exec`: `ends[0]` for reading, `ends[1]` for writing.
///
/// Returns 0 or an error number.
int child_process_pipe(int ends[2]);

/// Starts a program with only three descriptors, and without blocked or ignored signals.
///
/// - `program`: A path, or a name to look up in `PATH`.
/// - `arguments`, `environment`: Null-terminated arrays of strings.
/// - `folder`: The working directory. Null inherits that of this process.
/// - `streams`: Descriptors of this process for the standard input, output, and error.
///
/// Returns 0 and sets `child`, or returns an error number, for example if the program does not exist or
/// cannot be executed.
int child_process_start(
    int *child, const char *program, char *const arguments[], char *const environment[],
    const char *folder, const int streams[3]);
