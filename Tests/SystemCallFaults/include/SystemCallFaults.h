// Fails one system call of this process at its n-th call, for files below one folder.
#ifndef SYSTEM_CALL_FAULTS_H
#define SYSTEM_CALL_FAULTS_H

#include <stdbool.h>

enum FaultyCall {
  FAULTY_OPEN, FAULTY_CLOSE, FAULTY_READ, FAULTY_WRITE, FAULTY_PREAD, FAULTY_PWRITE, FAULTY_FSYNC,
  FAULTY_FLOCK, FAULTY_FSTAT, FAULTY_LSTAT, FAULTY_STAT, FAULTY_MKDIR, FAULTY_RENAME, FAULTY_REMOVE,
  FAULTY_OPENDIR, FAULTY_READDIR, FAULTY_CALLS
};

// Returns the name of a call, such as "fsync", or NULL for a number that is out of range.
const char *faults_name(int call);

// Selects the folder. Only calls for paths below it, and for descriptors opened from such paths, count.
void faults_watch(const char *folder);

// Makes the n-th call from now fail, counted from 1.
//
// `error` is the value of errno. 0 makes a read or write short instead: half of its bytes, at least one.
// `forever` makes all later calls fail, too.
void faults_arm(int call, int nth, int error, bool forever);

// Ends the faults. Returns the number of calls since `faults_arm`.
int faults_disarm(void);

// Makes getaddrinfo block for a host, until faults_release_resolver is called.
void faults_hold_resolver(const char *host);

// Waits until a thread is blocked in getaddrinfo.
void faults_await_resolver(void);

void faults_release_resolver(void);

#endif
