#if os(Linux)
  import Foundation

  /// What the process has of the system's.
  package enum ProcessCensus {
    /// How many descriptors of sockets, epolls and the like are open.
    package static var openFiles: Int { count("/proc/self/fd") }

    /// Whether a file in a folder is open, be it removed from there by now.
    package static func hasOpenFile(below folder: URL) -> Bool {
      let fds = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      return fds.contains { fd in
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(fd)")
        return path?.hasPrefix(folder.path) == true
      }
    }

    /// How many threads of a name there are.
    package static func threads(named name: String) -> Int {
      let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
      return tasks.filter { task in
        let comm = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
        return comm?.trimmingCharacters(in: .newlines) == name
      }.count
    }

    private static func count(_ folder: String) -> Int {
      (try? FileManager.default.contentsOfDirectory(atPath: folder))?.count ?? 0
    }
  }
#endif
