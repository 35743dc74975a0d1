#if os(Linux)
  import CatenaSystem
  import Foundation
  import TestSupport

  /// The locks of files that the kernel has granted, of all processes.
  enum KernelLocks {
    /// Whether the kernel lists the locks of this process.
    static let areListed: Bool = {
      let folder = TemporaryFolder(in: TemporaryFolder.memory)
      guard let file = try? folder.file("lock", ""), let lock = try? FileLock(waitingFor: file.path)
      else { return false }
      defer { withExtendedLifetime(lock) {} }
      return names(in: folder) == ["lock"]
    }()

    /// Returns the names of the locked files in a folder, in ascending order.
    static func names(in folder: TemporaryFolder) -> [String] {
      let text = (try? String(contentsOfFile: "/proc/locks", encoding: .utf8)) ?? ""
      // A line is, for example, `1: FLOCK  ADVISORY  WRITE 6933 fe:00:16237831 0 EOF`.
      let numbers = text.split(separator: "\n").compactMap { line -> UInt64? in
        let places = line.split(separator: " ").map { $0.split(separator: ":") }
        return places.first { $0.count == 3 }.flatMap { UInt64($0[2]) }
      }
      return folder.names.filter { name in
        guard let status = try? FileStatus(folder.url(name).path) else { return false }
        return numbers.contains(status.identity.number)
      }
    }
  }
#endif
