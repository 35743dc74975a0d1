#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import Promises
  import TestSupport

  // Breaks standard streams of this process, and then makes a report or becomes another program.
  //
  //     broken-streams FAULT STREAMS FILE REPORT
  //     broken-streams FAULT STREAMS FILE exec PROGRAM ARGUMENT...
  //
  // STREAMS is 1, 2 or 12. The fault `reused` opens FILE in place of a closed stream. After a report, the
  // program prints "alive" on the original standard output.
  enum BrokenStreams {
    static func run(_ arguments: [String]) async throws {
      guard arguments.count >= 5, let fault = Fault(rawValue: arguments[1]) else { exit(64) }
      let output = fcntl(1, F_DUPFD_CLOEXEC, 100)
      for stream in arguments[2].compactMap({ Int32(String($0)) }) {
        try fault.apply(to: stream, arguments[3])
      }
      // A parent may have set other dispositions.
      signal(SIGPIPE, SIG_DFL)
      switch arguments[4] {
      case "exec":
        let strings = arguments.dropFirst(5).map { strdup($0) } + [nil]
        execv(arguments[5], strings)
        exit(127)
      case "unhandled rejection": _ = Promise<Int>.rejected(TestError("lost"))
      case "abandoned promise":
        _ = Promise<Int>.pending(on: .inline).promise.done(on: .inline) { _ in }
      case "late promise":
        let time = TestScheduler()
        PromiseDiagnostics.watchPending(longerThan: .seconds(1), scheduler: time)
        let (promise, resolver) = Promise<Int>.pending(on: .inline)
        await time.advance(by: .seconds(1))
        resolver.fulfill(0)
        _ = try await promise.value
      case "logger": try await log(waits: !fault.isFull)
      default: exit(64)
      }
      _ = "alive\n".withCString { write(output, $0, strlen($0)) }
    }

    /// Sends a request of a client that logs.
    private static func log(waits: Bool) async throws {
      let (logged, resolver) = Promise<Void>.pending(on: .inline)
      var configuration = NetworkingConfiguration()
      configuration.logging = .verbose
      configuration.logging.requestLogger = Logger(resolver: resolver)
      let client = Networking<Request>(
        transport: MockTransport(routes: [Route(.get, "/", .text("hello"))]),
        configuration: configuration)
      client.callbackContext = .inline
      _ = try await client.request(.get("https://a.example/")).value
      // The logger waits while nobody reads a full pipe, and the client does not.
      if waits { try await logged.value }
    }

    private struct Logger: NetworkLogger {
      let resolver: Resolver<Void>

      func log(_ entry: NetworkLogEntry) {
        StandardLogger().log(entry)
        resolver.fulfill(())
      }
    }
  }

  /// A way in which a standard stream can be broken.
  private enum Fault: String {
    case closed
    case full
    case readOnly
    case reused
    case withoutReader
    case unread
    case unreadNonblocking

    /// Whether the stream is a pipe that accepts no more bytes.
    var isFull: Bool { self == .unread || self == .unreadNonblocking }

    func apply(to stream: Int32, _ file: String) throws {
      switch self {
      case .closed: close(stream)
      case .full: try replace(stream, by: open("/dev/full", O_WRONLY))
      case .readOnly: try replace(stream, by: open("/dev/null", O_RDONLY))
      case .reused:
        try replace(stream, by: open(file, O_WRONLY | O_CREAT | O_APPEND, 0o600))
        _ = fcntl(stream, F_SETFD, FD_CLOEXEC)
      case .withoutReader, .unread, .unreadNonblocking:
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw TestError("no pipe") }
        try replace(stream, by: ends[1])
        guard isFull else {
          close(ends[0])
          return
        }
        _ = fcntl(stream, F_SETFL, fcntl(stream, F_GETFL) | O_NONBLOCK)
        for size in [4_096, 1] {
          let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: size)
          while write(stream, bytes, size) > 0 {}
        }
        if self == .unread {
          _ = fcntl(stream, F_SETFL, fcntl(stream, F_GETFL) & ~O_NONBLOCK)
        }
      }
    }

    private func replace(_ stream: Int32, by file: Int32) throws {
      guard file >= 0, dup2(file, stream) == stream, close(file) == 0 else {
        throw TestError("the stream cannot be replaced")
      }
    }
  }
#endif
