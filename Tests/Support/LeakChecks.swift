import CatenaSystem
import Dispatch
package import Foundation
package import Networking
package import Promises

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The system resources that the test process uses.
package enum ProcessResources {
  /// The number of open descriptors, except the timers of libdispatch.
  package static var openFiles: Int { openFileNames.count }

  /// The sorted names of the files behind the open descriptors, except the timers of libdispatch.
  ///
  /// libdispatch opens a timer descriptor on first use and keeps it for the life of the process. Its other
  /// descriptors are there from the first call on, and are counted.
  package static var openFileNames: [String] {
    _ = dispatchDescriptors
    return openPaths.map { $0 ?? "closed" }.filter { $0 != "anon_inode:[timerfd]" }.sorted()
  }

  /// Makes libdispatch open the descriptors with which it waits for events, and keeps for the life of the
  /// process.
  private static let dispatchDescriptors: Void = {
    let (pipe, isCancelled) = (Pipe(), DispatchSemaphore(value: 0))
    let source = DispatchSource.makeReadSource(
      fileDescriptor: pipe.fileHandleForReading.fileDescriptor, queue: .global())
    source.setEventHandler { source.cancel() }
    source.setCancelHandler { isCancelled.signal() }
    source.activate()
    // The end is an event.
    try? pipe.fileHandleForWriting.close()
    isCancelled.wait()
    try? pipe.fileHandleForReading.close()
  }()

  /// Returns whether a file below a folder is open, including one that has been removed.
  package static func hasOpenFile(below folder: URL) -> Bool {
    // The paths of Apple platforms begin with `/private`.
    openPaths.contains { $0?.contains(folder.path) == true }
  }

  /// Raises the soft limit of open files as far as the system allows, and returns it.
  package static func raiseFileLimit() -> Int {
    var limit = rlimit()
    #if canImport(Darwin)
      getrlimit(RLIMIT_NOFILE, &limit)
      limit.rlim_cur = min(limit.rlim_max, UInt64(OPEN_MAX))
      setrlimit(RLIMIT_NOFILE, &limit)
    #else
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = limit.rlim_max
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #endif
    return Int(clamping: limit.rlim_cur)
  }

  /// Limits the size of each file that the process writes.
  ///
  /// Writing more fails with `EFBIG`.
  ///
  /// - Returns: Whether the limit is set.
  package static func limitFileSize(to bytes: UInt64) -> Bool {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: .init(bytes), rlim_max: .init(bytes))
    #if canImport(Darwin)
      return setrlimit(RLIMIT_FSIZE, &limit) == 0
    #else
      return setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
    #endif
  }

  /// The peak of the resident memory, in KiB.
  ///
  /// That of `getrusage` on Linux would include the process that started this one.
  package static var peakKibibytes: Int {
    #if os(Linux)
      let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    #else
      var usage = rusage()
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss >> 10
    #endif
  }

  #if os(Linux)
    /// The number of threads.
    package static var threads: Int {
      let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("Threads:") }
      return line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0
    }

    /// The resident memory in bytes.
    package static var residentBytes: Int {
      let status = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      let pages = status?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Returns the number of threads with a name.
    package static func threads(named name: String) -> Int {
      tasks.filter { task in
        let comm = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
        return comm?.trimmingCharacters(in: .newlines) == name
      }.count
    }

    /// The identifiers of all threads.
    ///
    /// The kernel leaves threads out of a listing during which another one ends, so that it is read again.
    private static var tasks: [String] {
      while true {
        let tasks = names("/proc/self/task")
        if tasks.count == threads { return tasks }
      }
    }
  #endif

  private static func names(_ folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  /// The paths of the open descriptors.
  ///
  /// A path is `nil` for a descriptor that was closed in the meantime, and on Apple platforms for one
  /// that is not a file.
  private static var openPaths: [String?] {
    #if canImport(Darwin)
      names("/dev/fd").map { name in
        var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
        guard let descriptor = Int32(name), fcntl(descriptor, F_GETPATH, &path) == 0 else {
          return nil
        }
        return String(decoding: path.prefix { $0 != 0 }, as: UTF8.self)
      }
    #else
      names("/proc/self/fd").map { name in
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
      }
    #endif
  }
}

/// A counter of the live tokens that it has created.
package final class InstanceCounter: Sendable {
  private let count = Counter()

  package init() {}

  /// The number of tokens that are not released.
  package var liveCount: Int { count.value }

  /// Creates an object that is counted until it is released.
  package func token() -> Token { Token(count) }

  package final class Token: Sendable {
    private let count: Counter

    fileprivate init(_ count: Counter) {
      self.count = count
      count.add(1)
    }

    deinit {
      count.add(-1)
    }
  }
}

extension ExecutionContext {
  /// Returns a context that runs handlers inline and retains an object.
  ///
  /// A promise that retains the context retains the object.
  package static func custom(holding token: InstanceCounter.Token) -> ExecutionContext {
    .custom { handler in withExtendedLifetime(token, handler) }
  }
}

/// A transport wrapper that counts the live exchanges of another transport.
package final class CountingTransport: Transport {
  private struct Handle: Sendable {
    // `nonisolated(unsafe)` because a weak reference is loaded atomically by the runtime, and the
    // property is set only in the initializer.
    nonisolated(unsafe) weak var exchange: AnyObject?
  }

  private let transport: any Transport
  private let receivers = InstanceCounter()
  private let handles = Mutex<[Handle]>([])
  /// The paths of the requests whose response head was received, in order.
  package let heads = Log<String>()

  package init(_ transport: any Transport) {
    self.transport = transport
  }

  /// The number of live exchanges plus the number of live event handlers.
  package var liveCount: Int {
    receivers.liveCount + handles.withLock { $0.count { $0.exchange != nil } }
  }

  package func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    let token = receivers.token()
    let path = request.url.path
    let handle = transport.start(request) { [heads] event in
      withExtendedLifetime(token) { receive(event) }
      if case .head = event { heads.append(path) }
    }
    handles.withLock { $0.append(Handle(exchange: handle as AnyObject)) }
    return handle
  }
}
