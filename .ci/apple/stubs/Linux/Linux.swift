// The part of the C library that Musl and Android have and Apple platforms have not, or that has other types there, after the
// manual pages. Swift imports an enumeration without a name as Int, a macro as Int32.
@_exported import CLibrary
import Swift

// MARK: <dirent.h>
@discardableResult public func opendir(_ path: UnsafePointer<CChar>!) -> OpaquePointer! { nil }
@discardableResult public func readdir(_ folder: OpaquePointer!) -> UnsafeMutablePointer<dirent>! {
  nil
}
@discardableResult public func closedir(_ folder: OpaquePointer!) -> Int32 { -1 }

// MARK: <sys/socket.h>, <netinet/in.h>, <sys/ioctl.h>
#if Android
  public var IPPROTO_IPV6: Int { 41 }
  public var IPPROTO_TCP: Int { 6 }
  public var SHUT_RD: Int { 0 }
  public var SHUT_WR: Int { 1 }
  public var SHUT_RDWR: Int { 2 }
#else
  public var IPPROTO_IPV6: Int32 { 41 }
  public var IPPROTO_TCP: Int32 { 6 }
  public var SHUT_RD: Int32 { 0 }
  public var SHUT_WR: Int32 { 1 }
  public var SHUT_RDWR: Int32 { 2 }
#endif
public var AF_NETLINK: Int32 { 16 }
public var SOCK_RAW: Int32 { 3 }
public var SOCK_NONBLOCK: Int32 { 0o4000 }
public var SOCK_CLOEXEC: Int32 { 0o200_0000 }
public var MSG_TRUNC: Int32 { 0x20 }
public var MSG_NOSIGNAL: Int32 { 0x4000 }
public var TIOCOUTQ: Int32 { 0x5411 }
@discardableResult public func recvfrom(
  _ fd: Int32, _ to: UnsafeMutableRawPointer?, _ count: Int, _ flags: Int32,
  _ from: UnsafeMutablePointer<sockaddr>?, _ length: UnsafeMutablePointer<socklen_t>?
) -> Int { -1 }

// MARK: <sys/epoll.h>, <sys/eventfd.h>, <sys/inotify.h>
public var EPOLL_CLOEXEC: Int32 { 0o200_0000 }
public var EPOLL_CTL_ADD: Int32 { 1 }
public var EPOLL_CTL_DEL: Int32 { 2 }
public var EPOLL_CTL_MOD: Int32 { 3 }
public var EFD_CLOEXEC: Int32 { 0o200_0000 }
public var EFD_NONBLOCK: Int32 { 0o4000 }
public var IN_CLOEXEC: Int32 { 0o200_0000 }
public var IN_NONBLOCK: Int32 { 0o4000 }
public var IN_CLOSE_WRITE: Int32 { 0x8 }
public var IN_MOVED_FROM: Int32 { 0x40 }
public var IN_MOVED_TO: Int32 { 0x80 }
public var IN_CREATE: Int32 { 0x100 }
public var IN_DELETE: Int32 { 0x200 }
public var IN_UNMOUNT: Int32 { 0x2000 }
public var IN_Q_OVERFLOW: Int32 { 0x4000 }
@discardableResult public func epoll_create1(_ flags: Int32) -> Int32 { -1 }
@discardableResult public func epoll_ctl(
  _ epoll: Int32, _ operation: Int32, _ fd: Int32, _ event: UnsafeMutablePointer<epoll_event>?
) -> Int32 { -1 }
@discardableResult public func epoll_wait(
  _ epoll: Int32, _ events: UnsafeMutablePointer<epoll_event>!, _ count: Int32, _ time: Int32
) -> Int32 { -1 }
@discardableResult public func eventfd(_ value: UInt32, _ flags: Int32) -> Int32 { -1 }
@discardableResult public func inotify_init1(_ flags: Int32) -> Int32 { -1 }
@discardableResult public func inotify_rm_watch(_ descriptor: Int32, _ watch: Int32) -> Int32 { -1 }
@discardableResult public func inotify_add_watch(
  _ fd: Int32, _ path: UnsafePointer<CChar>!, _ events: UInt32
) -> Int32 { -1 }

// MARK: <signal.h>, <pthread.h>
@discardableResult public func sigtimedwait(
  _ set: UnsafePointer<sigset_t>!, _ info: UnsafeMutablePointer<siginfo_t>?,
  _ time: UnsafePointer<timespec>?
) -> Int32 { -1 }
@discardableResult public func pthread_key_create(
  _ key: UnsafeMutablePointer<pthread_key_t>!,
  _ destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
) -> Int32 { 0 }
