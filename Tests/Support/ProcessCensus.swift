#if os(Linux)
  import Foundation
  import Glibc

  /// What the process has of the system's.
  package enum ProcessCensus {
    /// How many descriptors of sockets, epolls and the like are open; libdispatch's timers do not count, as it
    /// opens them when it first needs one, and keeps them.
    package static var openFiles: Int { openPaths.count { $0 != "anon_inode:[timerfd]" } }

    /// Whether a file in a folder is open, be it removed from there by now.
    package static func hasOpenFile(below folder: URL) -> Bool {
      openPaths.contains { $0?.hasPrefix(folder.path) == true }
    }

    /// How many threads there are.
    package static var threads: Int { count("/proc/self/task") }

    /// How many bytes of memory are resident.
    package static var residentBytes: Int {
      let status = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      let pages = status?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Lets the process open as many files as the system allows it, and says how many those are.
    package static func raiseFileLimit() -> Int {
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = limit.rlim_max
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      return Int(clamping: limit.rlim_cur)
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

    /// Where the open descriptors lead; nil of one that has been closed meanwhile.
    private static var openPaths: [String?] {
      let folder = "/proc/self/fd"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return names.map { name in
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
      }
    }
  }
#endif
