// A replacement of the module Glibc. Foundation re-exports the C library of its platform, so it exports the names of
// Apple's C library, of Musl's or of Android's, and none of Glibc's.
#if Musl
  @_exported import Musl
#elseif Android
  @_exported import Android
#else
  @_exported import Darwin
#endif
// Foundation's code calls it. Its names are not visible.
import SwiftGlibc

/// The other C libraries have it as well; Foundation looks for it here.
public enum POSIXErrorCode: Int32, Sendable {
  case EPERM = 1
  case ENOENT, ESRCH, EINTR, EIO, ENXIO, E2BIG, ENOEXEC, EBADF, ECHILD, EDEADLK, ENOMEM, EACCES,
    EFAULT
  case ENOTBLK, EBUSY, EEXIST, EXDEV, ENODEV, ENOTDIR, EISDIR, EINVAL, ENFILE, EMFILE, ENOTTY,
    ETXTBSY, EFBIG, ENOSPC
  case ESPIPE, EROFS, EMLINK, EPIPE
  case EAGAIN = 35
  case EADDRINUSE = 48
  case ECONNRESET = 54
  case ETIMEDOUT = 60
  case ECONNREFUSED = 61
  case ELOOP = 62
  case ENAMETOOLONG = 63
}
