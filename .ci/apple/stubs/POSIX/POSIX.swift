// The part of the C libraries that the sources use and that all platforms have, with the signatures of Swift. The values of
// the constants are those of XNU; no check reads them. `errno`, `open`, `fcntl`, `ioctl` and `S_IF*` are the Swift overlay's.
//
// The type of a pointer that may be null ends in `?`, that of another one in `!`: Android's headers have annotations for it,
// and there the checks replace the `!`.
import CLibrary
import Swift

public typealias size_t = Int

public var errno: Int32 {
  get { 0 }
  set {}
}

// MARK: <errno.h>
public var EPERM: Int32 { 1 }
public var ENOENT: Int32 { 2 }
public var EINTR: Int32 { 4 }
public var EIO: Int32 { 5 }
public var ECHILD: Int32 { 10 }
public var EBADF: Int32 { 9 }
public var ENOMEM: Int32 { 12 }
public var EACCES: Int32 { 13 }
public var EFAULT: Int32 { 14 }
public var EEXIST: Int32 { 17 }
public var ENOTDIR: Int32 { 20 }
public var EINVAL: Int32 { 22 }
public var ENFILE: Int32 { 23 }
public var EMFILE: Int32 { 24 }
public var EFBIG: Int32 { 27 }
public var ENOSPC: Int32 { 28 }
public var EPIPE: Int32 { 32 }
public var EAGAIN: Int32 { 35 }
public var EWOULDBLOCK: Int32 { 35 }
public var ENOTSUP: Int32 { 45 }
public var EADDRINUSE: Int32 { 48 }
public var ECONNABORTED: Int32 { 53 }
public var ECONNRESET: Int32 { 54 }
public var ENOBUFS: Int32 { 55 }
public var EADDRNOTAVAIL: Int32 { 49 }
public var ECONNREFUSED: Int32 { 61 }
public var ELOOP: Int32 { 62 }
public var ENAMETOOLONG: Int32 { 63 }
public var ESRCH: Int32 { 3 }

// MARK: <fcntl.h>, <sys/stat.h>, <unistd.h>, <dirent.h>, <stdio.h>
public var O_RDONLY: Int32 { 0 }
public var O_WRONLY: Int32 { 1 }
public var O_RDWR: Int32 { 2 }
public var O_NONBLOCK: Int32 { 4 }
public var O_APPEND: Int32 { 8 }
public var O_NOFOLLOW: Int32 { 0x100 }
public var O_CREAT: Int32 { 0x200 }
public var O_TRUNC: Int32 { 0x400 }
public var O_EXCL: Int32 { 0x800 }
public var O_DIRECTORY: Int32 { 0x10_0000 }
public var O_CLOEXEC: Int32 { 0x100_0000 }
public var F_GETFD: Int32 { 1 }
public var F_SETFD: Int32 { 2 }
public var F_GETFL: Int32 { 3 }
public var F_SETFL: Int32 { 4 }
public var F_DUPFD_CLOEXEC: Int32 { 67 }
public var FD_CLOEXEC: Int32 { 1 }
public var LOCK_SH: Int32 { 1 }
public var LOCK_EX: Int32 { 2 }
public var LOCK_NB: Int32 { 4 }
public var LOCK_UN: Int32 { 8 }
public var S_IFMT: mode_t { 0o170000 }
public var S_IFIFO: mode_t { 0o010000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }
public var STDIN_FILENO: Int32 { 0 }
public var STDOUT_FILENO: Int32 { 1 }
public var STDERR_FILENO: Int32 { 2 }
public var PIPE_BUF: Int32 { 512 }
public var SEEK_SET: Int32 { 0 }
@discardableResult public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { -1 }
@discardableResult
public func openat(_ folder: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { -1 }
@discardableResult public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t)
  -> Int32
{ -1 }
@discardableResult public func fcntl(_ fd: Int32, _ command: Int32) -> Int32 { -1 }
@discardableResult public func fcntl(_ fd: Int32, _ command: Int32, _ value: Int32) -> Int32 { -1 }
@discardableResult public func fcntl(
  _ fd: Int32, _ command: Int32, _ pointer: UnsafeMutableRawPointer
) -> Int32 { -1 }
@discardableResult public func close(_ fd: Int32) -> Int32 { -1 }
@discardableResult public func read(_ fd: Int32, _ to: UnsafeMutableRawPointer?, _ count: Int)
  -> Int
{ -1 }
@discardableResult public func write(_ fd: Int32, _ from: UnsafeRawPointer?, _ count: Int) -> Int {
  -1
}
@discardableResult public func pread(
  _ fd: Int32, _ to: UnsafeMutableRawPointer!, _ count: Int, _ at: off_t
) -> Int { -1 }
@discardableResult public func pwrite(
  _ fd: Int32, _ from: UnsafeRawPointer!, _ count: Int, _ at: off_t
) -> Int { -1 }
@discardableResult public func lseek(_ fd: Int32, _ at: off_t, _ whence: Int32) -> off_t { -1 }
@discardableResult public func fsync(_ fd: Int32) -> Int32 { -1 }
@discardableResult public func ftruncate(_ fd: Int32, _ length: off_t) -> Int32 { -1 }
@discardableResult public func fstat(_ fd: Int32, _ status: UnsafeMutablePointer<stat>!) -> Int32 {
  -1
}
@discardableResult public func lstat(
  _ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!
) -> Int32 { -1 }
@discardableResult public func mkdir(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { -1 }
@discardableResult public func mkfifo(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { -1 }
@discardableResult public func chmod(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { -1 }
@discardableResult public func seteuid(_ user: uid_t) -> Int32 { 0 }
@discardableResult public func unlink(_ path: UnsafePointer<CChar>!) -> Int32 { -1 }
@discardableResult public func symlink(_ to: UnsafePointer<CChar>!, _ path: UnsafePointer<CChar>!)
  -> Int32
{ -1 }
@discardableResult public func link(_ path: UnsafePointer<CChar>!, _ to: UnsafePointer<CChar>!)
  -> Int32
{ -1 }
@discardableResult public func rename(_ path: UnsafePointer<CChar>!, _ to: UnsafePointer<CChar>!)
  -> Int32
{ -1 }
@discardableResult public func remove(_ path: UnsafePointer<CChar>!) -> Int32 { -1 }
@discardableResult public func access(_ path: UnsafePointer<CChar>!, _ mode: Int32) -> Int32 { -1 }
@discardableResult public func pipe(_ ends: UnsafeMutablePointer<Int32>!) -> Int32 { -1 }
/// C's `ioctl` has variable arguments; this is the overlay's.
@discardableResult public func ioctl(_ fd: Int32, _ request: UInt, _ value: UnsafeMutableRawPointer)
  -> Int32
{ -1 }
@discardableResult public func isatty(_ fd: Int32) -> Int32 { 0 }
@discardableResult public func dup(_ fd: Int32) -> Int32 { -1 }
@discardableResult public func dup2(_ fd: Int32, _ to: Int32) -> Int32 { -1 }

// MARK: <stdlib.h>, <string.h>, <unistd.h>, <signal.h>, <sys/wait.h>, <sys/resource.h>
public func exit(_ code: Int32) -> Never { fatalError() }
public func _exit(_ code: Int32) -> Never { fatalError() }
public func abort() -> Never { fatalError() }
@discardableResult public func getpid() -> pid_t { 0 }
@discardableResult public func getppid() -> pid_t { 0 }
@discardableResult public func chown(_ path: UnsafePointer<CChar>!, _ owner: uid_t, _ group: gid_t)
  -> Int32
{ 0 }
@discardableResult public func geteuid() -> uid_t { 0 }
@discardableResult public func getuid() -> uid_t { 0 }
@discardableResult public func sched_yield() -> Int32 { 0 }
@discardableResult public func usleep(_ time: UInt32) -> Int32 { 0 }
@discardableResult public func strerror(_ number: Int32) -> UnsafeMutablePointer<CChar> {
  fatalError()
}
@discardableResult public func execv(
  _ path: UnsafePointer<CChar>!, _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 { -1 }
@discardableResult public func strdup(_ text: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>!
{ nil }
@discardableResult public func strlen(_ text: UnsafePointer<CChar>!) -> Int { 0 }
@discardableResult public func memcmp(_ a: UnsafeRawPointer!, _ b: UnsafeRawPointer!, _ count: Int)
  -> Int32
{ 0 }
@discardableResult public func memchr(_ in: UnsafeRawPointer!, _ byte: Int32, _ count: Int)
  -> UnsafeMutableRawPointer!
{ nil }
@discardableResult public func realpath(
  _ path: UnsafePointer<CChar>!, _ to: UnsafeMutablePointer<CChar>?
) -> UnsafeMutablePointer<CChar>! { nil }
@discardableResult public func getenv(_ name: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>!
{ nil }
@discardableResult public func setenv(
  _ n: UnsafePointer<CChar>!, _ v: UnsafePointer<CChar>!, _ overwrite: Int32
) -> Int32 { 0 }
@discardableResult public func unsetenv(_ name: UnsafePointer<CChar>!) -> Int32 { 0 }
public func free(_ pointer: UnsafeMutableRawPointer?) {}
@discardableResult public func kill(_ process: pid_t, _ signal: Int32) -> Int32 { 0 }
@discardableResult public func raise(_ signal: Int32) -> Int32 { 0 }
@discardableResult public func waitpid(
  _ child: pid_t, _ word: UnsafeMutablePointer<Int32>?, _ options: Int32
) -> pid_t { 0 }
@discardableResult public func waitid(
  _ kind: idtype_t, _ id: id_t, _ info: UnsafeMutablePointer<siginfo_t>!, _ options: Int32
) -> Int32 { 0 }
public typealias sig_t = @convention(c) (Int32) -> Void
@discardableResult public func signal(_ number: Int32, _ handler: sig_t?) -> sig_t? { nil }
public var SIG_DFL: sig_t? { nil }
public var SIG_IGN: sig_t { { _ in } }
public var SIGHUP: Int32 { 1 }
public var SIGINT: Int32 { 2 }
public var SIGKILL: Int32 { 9 }
public var SIGPIPE: Int32 { 13 }
public var SIGXFSZ: Int32 { 25 }
public var SIGTERM: Int32 { 15 }
public var SIGSTOP: Int32 { 17 }
public var SIGCONT: Int32 { 19 }
public var SIGUSR1: Int32 { 30 }
public var SIG_BLOCK: Int32 { 1 }
public var SIG_UNBLOCK: Int32 { 2 }
public var SIG_SETMASK: Int32 { 3 }
public var WNOHANG: Int32 { 1 }
public var WEXITED: Int32 { 4 }
public var WNOWAIT: Int32 { 0x20 }
@discardableResult public func sigemptyset(_ set: UnsafeMutablePointer<sigset_t>!) -> Int32 { 0 }
@discardableResult public func sigaddset(_ set: UnsafeMutablePointer<sigset_t>!, _ number: Int32)
  -> Int32
{ 0 }
@discardableResult public func sigismember(_ set: UnsafePointer<sigset_t>!, _ number: Int32)
  -> Int32
{ 0 }
@discardableResult public func sigpending(_ set: UnsafeMutablePointer<sigset_t>!) -> Int32 { 0 }
public var RUSAGE_SELF: Int32 { 0 }
public var RLIMIT_FSIZE: Int32 { 1 }
public var RLIMIT_NOFILE: Int32 { 8 }
public var PATH_MAX: Int32 { 1_024 }
@discardableResult public func getrusage(_ who: Int32, _ usage: UnsafeMutablePointer<rusage>!)
  -> Int32
{ 0 }
@discardableResult public func getrlimit(_ what: Int32, _ limit: UnsafeMutablePointer<rlimit>!)
  -> Int32
{ 0 }
@discardableResult public func setrlimit(_ what: Int32, _ limit: UnsafePointer<rlimit>!) -> Int32 {
  0
}

@discardableResult public func gmtime_r(
  _ time: UnsafePointer<time_t>!, _ to: UnsafeMutablePointer<tm>!
) -> UnsafeMutablePointer<tm>! { nil }
public func timegm(_ time: UnsafeMutablePointer<tm>!) -> time_t { 0 }
@discardableResult public func time(_ to: UnsafeMutablePointer<time_t>?) -> time_t { 0 }

// MARK: <pthread.h>
public func pthread_getspecific(_ key: pthread_key_t) -> UnsafeMutableRawPointer? { nil }
@discardableResult public func pthread_setspecific(_ key: pthread_key_t, _ value: UnsafeRawPointer?)
  -> Int32
{ 0 }
@discardableResult public func pthread_sigmask(
  _ how: Int32, _ set: UnsafePointer<sigset_t>?, _ old: UnsafeMutablePointer<sigset_t>?
) -> Int32 { 0 }

// MARK: <sys/socket.h>, <netinet/in.h>, <netinet/tcp.h>
public var AF_INET: Int32 { 2 }
public var AF_INET6: Int32 { 30 }
public var AF_UNIX: Int32 { 1 }
public var SOCK_STREAM: Int32 { 1 }
public var SOCK_DGRAM: Int32 { 2 }
public var SOL_SOCKET: Int32 { 0xffff }
public var SO_REUSEADDR: Int32 { 4 }
public var SO_LINGER: Int32 { 0x80 }
public var SO_SNDTIMEO: Int32 { 0x1005 }
public var SO_RCVTIMEO: Int32 { 0x1006 }
public var SO_SNDBUF: Int32 { 0x1001 }
public var SO_RCVBUF: Int32 { 0x1002 }
public var SO_ERROR: Int32 { 0x1007 }
public var IPV6_V6ONLY: Int32 { 27 }
public var AI_PASSIVE: Int32 { 1 }
public var AI_NUMERICHOST: Int32 { 4 }
public var POLLIN: Int32 { 1 }
public var POLLOUT: Int32 { 4 }
public var POLLERR: Int32 { 8 }
public var POLLHUP: Int32 { 0x10 }
public var POLLNVAL: Int32 { 0x20 }
public var TCP_NODELAY: Int32 { 1 }
public var MSG_DONTWAIT: Int32 { 0x80 }
@discardableResult public func socket(_ family: Int32, _ type: Int32, _ kind: Int32) -> Int32 { -1 }
@discardableResult public func bind(
  _ fd: Int32, _ to: UnsafePointer<sockaddr>!, _ length: socklen_t
) -> Int32 { -1 }
@discardableResult public func connect(
  _ fd: Int32, _ to: UnsafePointer<sockaddr>!, _ length: socklen_t
) -> Int32 { -1 }
@discardableResult public func listen(_ fd: Int32, _ backlog: Int32) -> Int32 { -1 }
@discardableResult public func accept(
  _ fd: Int32, _ from: UnsafeMutablePointer<sockaddr>?, _ length: UnsafeMutablePointer<socklen_t>?
) -> Int32 { -1 }
@discardableResult public func getsockname(
  _ fd: Int32, _ name: UnsafeMutablePointer<sockaddr>!, _ length: UnsafeMutablePointer<socklen_t>!
) -> Int32 { -1 }
@discardableResult public func setsockopt(
  _ fd: Int32, _ level: Int32, _ option: Int32, _ value: UnsafeRawPointer?, _ length: socklen_t
) -> Int32 { -1 }
@discardableResult public func getsockopt(
  _ fd: Int32, _ level: Int32, _ option: Int32, _ value: UnsafeMutableRawPointer?,
  _ length: UnsafeMutablePointer<socklen_t>!
) -> Int32 { -1 }
@discardableResult public func getaddrinfo(
  _ host: UnsafePointer<CChar>?, _ service: UnsafePointer<CChar>?,
  _ hints: UnsafePointer<addrinfo>?,
  _ list: UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>!
) -> Int32 { -1 }
public func freeaddrinfo(_ list: UnsafeMutablePointer<addrinfo>?) {}
@discardableResult public func recv(
  _ fd: Int32, _ to: UnsafeMutableRawPointer?, _ count: Int, _ flags: Int32
) -> Int { -1 }
@discardableResult public func send(
  _ fd: Int32, _ from: UnsafeRawPointer!, _ count: Int, _ flags: Int32
) -> Int { -1 }
@discardableResult public func socketpair(
  _ family: Int32, _ type: Int32, _ kind: Int32, _ ends: UnsafeMutablePointer<Int32>!
) -> Int32 { -1 }
@discardableResult public func shutdown(_ fd: Int32, _ how: Int32) -> Int32 { -1 }
@discardableResult public func inet_pton(
  _ family: Int32, _ text: UnsafePointer<CChar>!, _ to: UnsafeMutableRawPointer!
) -> Int32 { -1 }
@discardableResult public func inet_aton(
  _ text: UnsafePointer<CChar>!, _ to: UnsafeMutablePointer<in_addr>!
) -> Int32 { -1 }

// MARK: <math.h>, by the overlay
@_transparent public func pow(_ x: Double, _ y: Double) -> Double { x }
@_transparent public func log(_ x: Double) -> Double { x }
@_transparent public func exp(_ x: Double) -> Double { x }
@_transparent public func log2(_ x: Double) -> Double { x }
@_transparent public func cos(_ x: Double) -> Double { x }
@_transparent public func floor(_ x: Double) -> Double { x.rounded(.down) }
@_transparent public func ceil(_ x: Double) -> Double { x.rounded(.up) }
@_transparent public func round(_ x: Double) -> Double { x.rounded() }
@_transparent public func sqrt(_ x: Double) -> Double { x.squareRoot() }

// MARK: enumerations of C, which Swift imports as structures
public var P_ALL: idtype_t { 0 }
public var P_PID: idtype_t { 1 }
public var P_PGID: idtype_t { 2 }
@discardableResult public func futimens(_ fd: Int32, _ times: UnsafePointer<timespec>?) -> Int32 {
  -1
}
public var INET6_ADDRSTRLEN: Int32 { 46 }
@discardableResult public func inet_ntop(
  _ family: Int32, _ from: UnsafeRawPointer!, _ to: UnsafeMutablePointer<CChar>!, _ size: socklen_t
) -> UnsafePointer<CChar>! { nil }
@discardableResult public func truncate(_ path: UnsafePointer<CChar>!, _ length: off_t) -> Int32 {
  -1
}
