import CatenaSystem
import Dispatch
import Foundation
import Mocking
import MockingStubs

/// The properties of the program.
enum MockServerProgram {
  /// The version of the package, that of the file VERSION.
  static let version = "1.0.0"

  /// Returns an error message, with the command that the name of a missing file resembles.
  static func description(of error: any Error, _ names: [String]) -> String {
    guard case StubFileError.missing = error, let name = names.first,
      let command = Options.command(resembling: name)
    else { return "\(error)" }
    return "\(error); did you mean the command \(command.rawValue)?"
  }

  /// Returns the error message for an address that is not available.
  static func listeningFailure(_ host: String?, _ port: Int, _ reason: String) -> String {
    let isInUse = reason == String(cString: strerror(EADDRINUSE))
    let host = host ?? "127.0.0.1"
    let address = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    return "cannot listen on \(address): \(reason)"
      + (isInUse ? "; --port 0 chooses a free port" : "")
  }
}

/// The error of a start without a library that is needed, or with a file that cannot be written.
struct StartError: Error, CustomStringConvertible {
  let description: String

  init(description: String) { self.description = description }

  init(unwritable name: String, _ cause: String) {
    description = "\(name): cannot be written: \(cause)"
  }
}

/// The error for a recording, data or an output that could not be saved.
struct UnsavedFile: Error, CustomStringConvertible {
  let description: String
}

/// The handlers of the program's signals.
///
/// SIGINT (Ctrl-C) and SIGTERM stop the program, and a second one of them ends it at once. SIGHUP
/// reads the files again. Signals that arrive before ``start(onHangup:)`` are handled then.
final class ProgramSignals: Sendable {
  private let queue = DispatchQueue(label: "ProgramSignals")
  private let termination: Promise<Void>
  private let resolver: Resolver<Void>
  private let hangups = Mutex(Hangups())

  private struct Hangups {
    var handler: (@Sendable () -> Void)?
    /// Whether a signal has arrived before there was a handler.
    var isPending = false
  }

  /// Handles signals from now on.
  init() {
    (termination, resolver) = Promise<Void>.pending()
    for number in [SIGINT, SIGTERM] {
      watch(number) { [resolver] in
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        resolver.fulfill(())
      }
    }
    watch(SIGHUP) { [self] in
      let handler = hangups.withLock { hangups in
        hangups.isPending = hangups.handler == nil
        return hangups.handler
      }
      handler?()
    }
  }

  /// Calls a closure on a private queue after each SIGHUP.
  func start(onHangup: @escaping @Sendable () -> Void) {
    let isPending = hangups.withLock { hangups in
      hangups.handler = onHangup
      return hangups.isPending
    }
    if isPending { queue.async(execute: onHangup) }
  }

  /// Ends the program as SIGTERM does.
  func terminate() {
    resolver.fulfill(())
  }

  /// Ends the program as SIGTERM does when the standard input ends.
  ///
  /// The input is a pipe of the program that has started this one, so that no end of that program,
  /// not even a crash, leaves a server behind.
  func terminateAtEndOfInput() {
    Thread.detachNewThread { [self] in
      var bytes: [UInt8] = Array(repeating: 0, count: 4_096)
      var count = 1
      while count > 0 {
        repeat { count = read(STDIN_FILENO, &bytes, bytes.count) } while count < 0 && errno == EINTR
      }
      terminate()
    }
  }

  /// Waits for the first SIGINT or SIGTERM.
  func termination() async {
    _ = await termination.result
  }

  private func watch(_ number: Int32, _ handler: @escaping @Sendable () -> Void) {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    // The handler retains the source for the lifetime of the program.
    source.setEventHandler { withExtendedLifetime(source) { handler() } }
    // A signal before the registration would be lost.
    let isRegistered = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { isRegistered.signal() }
    source.activate()
    isRegistered.wait()
  }
}
