// The part of the C library that only Apple platforms have, or that has other types there. Constants have the values of the
// headers of the open XNU.
@_exported import CLibrary
import Swift

public struct FILE {}
@discardableResult public func fflush(_ file: UnsafeMutablePointer<FILE>!) -> Int32 { 0 }
public var O_EVTONLY: Int32 { 0x8000 }
public var F_GETPATH: Int32 { 50 }
public var F_FULLFSYNC: Int32 { 51 }
public var F_BARRIERFSYNC: Int32 { 85 }
public var F_SETNOSIGPIPE: Int32 { 73 }
public var F_GETNOSIGPIPE: Int32 { 74 }
@discardableResult public func opendir(_ path: UnsafePointer<CChar>!) -> UnsafeMutablePointer<DIR>!
{ nil }
@discardableResult public func readdir(_ folder: UnsafeMutablePointer<DIR>!)
  -> UnsafeMutablePointer<dirent>!
{ nil }
@discardableResult public func closedir(_ folder: UnsafeMutablePointer<DIR>!) -> Int32 { -1 }
public var TIOCGWINSZ: UInt { 0x4008_7468 }
public var OPEN_MAX: Int32 { 10_240 }
@discardableResult public func pthread_main_np() -> Int32 { 0 }
public var SO_NOSIGPIPE: Int32 { 0x1022 }
public var SO_NWRITE: Int32 { 0x1024 }
public var IPPROTO_IPV6: Int32 { 41 }
public var IPPROTO_TCP: Int32 { 6 }
public var SHUT_RD: Int32 { 0 }
public var SHUT_WR: Int32 { 1 }
public var SHUT_RDWR: Int32 { 2 }
public var EVFILT_READ: Int32 { -1 }
public var EVFILT_WRITE: Int32 { -2 }
public var EVFILT_USER: Int32 { -10 }
public var EV_ADD: Int32 { 1 }
public var EV_DELETE: Int32 { 2 }
public var EV_ENABLE: Int32 { 4 }
public var EV_DISABLE: Int32 { 8 }
public var EV_CLEAR: Int32 { 0x20 }
public var EV_ERROR: Int32 { 0x4000 }
public var EV_EOF: Int32 { 0x8000 }
public var NOTE_TRIGGER: Int32 { 0x0100_0000 }
@discardableResult public func kqueue() -> Int32 { -1 }
@discardableResult public func pthread_key_create(
  _ key: UnsafeMutablePointer<pthread_key_t>!,
  _ destroy: (@convention(c) (UnsafeMutableRawPointer) -> Void)!
) -> Int32 { 0 }
public func sysctlbyname(
  _ name: UnsafePointer<CChar>!, _ oldp: UnsafeMutableRawPointer!, _ oldlenp: UnsafeMutablePointer<Int>!,
  _ newp: UnsafeMutableRawPointer!, _ newlen: Int
) -> Int32 { 0 }
public var WSTOPPED: Int32 { 8 }
