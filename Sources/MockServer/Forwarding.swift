import CatenaSystem
import Foundation
import Mocking
import MockingContracts
import MockingRecordings

#if CATENA_CURL
  import CCatenaCurl
#endif

/// The routes that forward requests, and their recording.
struct Forwarding: Sendable {
  let origin: URL
  let routes: [Route]
  private let tape: Tape?

  /// Creates the routes of the options `--proxy` and `--record`, or returns `nil` without them.
  ///
  /// - Parameters:
  ///   - options: The options.
  ///   - monitor: The check of the exchanges.
  /// - Throws: `RecordingError` if the recording cannot be written, `Options.UsageError` if its
  ///   file exists already, and ``StartError`` without libcurl.
  init?(_ options: Options, _ monitor: ContractMonitor?) throws {
    guard let origin = options.origin else { return nil }
    self.origin = origin
    #if CATENA_CURL
      // A program that opens libcurl itself tells at once that it is missing.
      if let problem = catena_curl_problem() {
        throw StartError(description: "--proxy: \(String(cString: problem))")
      }
    #endif
    let transport = PlatformTransport.make()
    let route: Route
    if let recording = options.recording {
      try Self.checkFile(recording, options)
      let redaction = Tape.Redaction(
        masking: Set(options.maskedNames), keeping: Set(options.keptNames))
      let allowsTokens = options.allowsTokens
      let tape = try Tape(
        Options.url(of: recording), mode: .all, over: transport,
        options: Tape.Options(
          redaction: redaction, suspectedTokens: .leavesOut,
          isTokenAllowed: { _ in allowsTokens }))
      self.tape = tape
      route = Self.route(to: origin, over: tape, monitor, options)
    } else {
      tape = nil
      route = Self.route(to: origin, over: transport, monitor, options)
    }
    // All stubs take precedence, whatever their priority is.
    let refusal = options.refusesViolations ? monitor.map { $0.contract.refusal() } : nil
    routes = [refusal, route].compactMap { $0?.priority(.min) }
  }

  private static func route(
    to origin: URL, over transport: some Transport, _ monitor: ContractMonitor?, _ options: Options
  ) -> Route {
    guard let monitor else { return Route.forwarding(to: origin, over: transport) }
    if options.refusesViolations {
      return Route.forwarding(to: origin, over: monitor.enforcing(transport))
    }
    return Route.forwarding(to: origin, over: monitor.checking(transport))
  }

  /// Checks that a recording does not replace a file by mistake.
  private static func checkFile(_ name: String, _ options: Options) throws(Options.UsageError) {
    let size = (try? FileStatus(Options.url(of: name).path))?.byteCount
    // An empty file, such as one of `mktemp`, has nothing to lose.
    guard let size, size > 0, !options.replacesRecording else { return }
    throw Options.UsageError(
      "--record \(name): the file exists already; choose another name, or replace it with --force")
  }

  /// Writes the recording.
  ///
  /// - Returns: The number of written exchanges and the warnings about those that are left out or
  ///   incomplete, or `nil` if nothing is recorded.
  /// - Throws: ``UnsavedFile``.
  func save() throws -> (count: Int, warnings: [ArchiveWarning])? {
    guard let tape else { return nil }
    let count = tape.entries.count
    do throws(RecordingError) {
      try tape.save()
    } catch {
      throw UnsavedFile(description: "\(error)")
    }
    let warnings = tape.warnings
    let leftOut = warnings.filter { $0.problem.hasPrefix("left out") }
    return (count - leftOut.count, warnings)
  }
}
