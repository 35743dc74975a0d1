// The C structures that the sources use, as the manual pages and POSIX describe them, and for Apple's systems the headers of
// the open XNU and Libc: kqueue(2), epoll_ctl(2), stat(2), dirent(5), ip(4), pthread(3). In C and not in Swift, so that
// Swift imports them by the rules that hold there (what is Sendable, what has an empty initialiser). STUB_LINUX is defined
// for Musl and Android.
//
// The tags are names of their own, since Glibc's structures are among the compiler's too.
#pragma once
#include <stdint.h>

#define AS(name) __attribute__((swift_name(#name)))

#ifdef STUB_LINUX
typedef uint32_t d_mode_t AS(mode_t);
typedef uint64_t d_dev_t AS(dev_t);
typedef uint16_t d_sa_family_t AS(sa_family_t);
typedef struct { unsigned long bits[16]; } d_sigset_t AS(sigset_t);
typedef unsigned int d_pthread_key_t AS(pthread_key_t);
typedef unsigned long d_nfds_t AS(nfds_t);
#else
typedef uint16_t d_mode_t AS(mode_t);
typedef uint8_t d_sa_family_t AS(sa_family_t);
typedef uint32_t d_sigset_t AS(sigset_t);
typedef unsigned long d_pthread_key_t AS(pthread_key_t);
typedef unsigned int d_nfds_t AS(nfds_t);
#endif
typedef int64_t d_off_t AS(off_t);
typedef int32_t d_pid_t AS(pid_t);
typedef uint32_t d_uid_t AS(uid_t);
typedef uint32_t d_gid_t AS(gid_t);
typedef uint32_t d_id_t AS(id_t);
typedef uint32_t d_socklen_t AS(socklen_t);
typedef uint32_t d_in_addr_t AS(in_addr_t);
typedef uint16_t d_in_port_t AS(in_port_t);
typedef long d_time_t AS(time_t);

struct d_timespec { d_time_t tv_sec; long tv_nsec; } AS(timespec);
struct d_timeval { d_time_t tv_sec; int32_t tv_usec; } AS(timeval);

#ifdef STUB_LINUX
struct d_stat {
  d_dev_t st_dev; uint64_t st_ino; unsigned long st_nlink; d_mode_t st_mode; d_uid_t st_uid; d_gid_t st_gid; d_dev_t st_rdev;
  d_off_t st_size; long st_blksize; int64_t st_blocks; struct d_timespec st_atim, st_mtim, st_ctim;
} AS(stat);
struct d_dirent { uint64_t d_ino; d_off_t d_off; uint16_t d_reclen; uint8_t d_type; char d_name[256]; } AS(dirent);
typedef union { void *ptr; int fd; uint32_t u32; uint64_t u64; } d_epoll_data_t AS(epoll_data_t);
struct d_epoll_event { uint32_t events; d_epoll_data_t data; } AS(epoll_event);
struct d_inotify_event { int wd; uint32_t mask, cookie, len; } AS(inotify_event);
// Swift imports none of these macros, because of the cast to the type of the kernel.
#define EPOLLIN ((d_epoll_t)0x1)
#define EPOLLOUT ((d_epoll_t)0x4)
#define EPOLLERR ((d_epoll_t)0x8)
#define EPOLLHUP ((d_epoll_t)0x10)
#define EPOLLRDHUP ((d_epoll_t)0x2000)
#define EPOLLET ((d_epoll_t)(1U << 31))
typedef unsigned d_epoll_t;
#define LENGTH(name)
#else
#define LENGTH(name) uint8_t name;
struct d_stat {
  int32_t st_dev; d_mode_t st_mode; uint16_t st_nlink; uint64_t st_ino; d_uid_t st_uid; d_gid_t st_gid; int32_t st_rdev;
  struct d_timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
  d_off_t st_size; int64_t st_blocks; int32_t st_blksize; uint32_t st_flags, st_gen; int32_t st_lspare;
  int64_t st_qspare[2];
} AS(stat);
struct d_dirent {
  uint64_t d_ino, d_seekoff; uint16_t d_reclen, d_namlen; uint8_t d_type; char d_name[1024];
} AS(dirent);
struct d_DIR { int fd; } AS(DIR);
struct d_flock { d_off_t l_start, l_len; d_pid_t l_pid; short l_type, l_whence; } AS(flock);

struct d_kevent {
  uintptr_t ident; int16_t filter; uint16_t flags; uint32_t fflags; intptr_t data; void *udata;
} AS(kevent);

typedef struct { uint32_t opaque; } os_unfair_lock;
#define OS_UNFAIR_LOCK_INIT ((os_unfair_lock){0})
void os_unfair_lock_lock(os_unfair_lock *_Nonnull);
void os_unfair_lock_unlock(os_unfair_lock *_Nonnull);

int d_kevent(int, const struct d_kevent *, int, struct d_kevent *, int, const struct d_timespec *) AS(kevent(_:_:_:_:_:_:));
#endif

struct d_in_addr { d_in_addr_t s_addr; } AS(in_addr);
struct d_in6_addr { union { uint8_t u8[16]; uint16_t u16[8]; uint32_t u32[4]; } __u6_addr; } AS(in6_addr);
struct d_sockaddr { LENGTH(sa_len) d_sa_family_t sa_family; char sa_data[14]; } AS(sockaddr);
struct d_sockaddr_in {
  LENGTH(sin_len) d_sa_family_t sin_family; d_in_port_t sin_port; struct d_in_addr sin_addr; char sin_zero[8];
} AS(sockaddr_in);
struct d_sockaddr_un { LENGTH(sun_len) d_sa_family_t sun_family; char sun_path[104]; } AS(sockaddr_un);
struct d_addrinfo {
  int ai_flags, ai_family, ai_socktype, ai_protocol;
  d_socklen_t ai_addrlen; char *ai_canonname; struct d_sockaddr *ai_addr; struct d_addrinfo *ai_next;
} AS(addrinfo);
struct d_pollfd { int fd; short events, revents; } AS(pollfd);
struct d_tm {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; long tm_gmtoff; char *tm_zone;
} AS(tm);
typedef struct d_glob {
  __SIZE_TYPE__ gl_pathc; int gl_matchc; __SIZE_TYPE__ gl_offs; int gl_flags; char **gl_pathv;
} d_glob_t AS(glob_t);
struct d_winsize { unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; } AS(winsize);
struct d_linger { int l_onoff, l_linger; } AS(linger);
struct d_rusage {
  struct d_timeval ru_utime, ru_stime;
  long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock, ru_oublock, ru_msgsnd, ru_msgrcv,
    ru_nsignals, ru_nvcsw, ru_nivcsw;
} AS(rusage);
struct d_rlimit { uint64_t rlim_cur, rlim_max; } AS(rlimit);
struct d_siginfo { int si_signo, si_errno, si_code; d_pid_t si_pid; d_uid_t si_uid; int si_status; } AS(siginfo_t);
typedef uint32_t d_idtype_t AS(idtype_t);

int d_stat(const char *, struct d_stat *) AS(stat(_:_:));
int d_poll(struct d_pollfd *, d_nfds_t, int) AS(poll(_:_:_:));
int d_glob(const char *, int, int (*)(const char *, int), d_glob_t *) AS(glob(_:_:_:_:));
void d_globfree(d_glob_t *) AS(globfree(_:));
int d_flock(int, int) AS(flock(_:_:));
