#if os(Linux) || os(macOS)
  import Foundation
  import TestSupport

  /// A program of this build that is at work, and what it prints.
  final class RunningProgram: Sendable {
    private enum Line: Sendable {
      case printed(String)
      case end
    }

    private let process: Process
    private let output = Log<Line>()
    private let errors = Log<Line>()

    init(_ name: String, _ arguments: [String]) throws {
      process = Process()
      process.executableURL = Program.products.appendingPathComponent(name)
      process.arguments = arguments
      // As ``Program`` runs it.
      process.environment = ["TSAN_OPTIONS": "report_bugs=0", "TZ": "UTC"]
      let (outputPipe, errorPipe) = (Pipe(), Pipe())
      process.standardOutput = outputPipe
      process.standardError = errorPipe
      try process.launchAlone()
      Self.read(outputPipe, into: output)
      Self.read(errorPipe, into: errors)
    }

    deinit {
      if process.isRunning { process.terminate() }
    }

    private static func read(_ pipe: Pipe, into log: Log<Line>) {
      Thread {
        var rest = Data()
        while case let bytes = pipe.fileHandleForReading.availableData, !bytes.isEmpty {
          rest += bytes
          while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            log.append(.printed(String(decoding: rest[..<end], as: UTF8.self)))
            rest = rest[(end + 1)...]
          }
        }
        log.append(.end)
      }.start()
    }

    private static func line(
      of log: Log<Line>, where isWanted: (String) -> Bool
    ) async -> String? {
      var count = 1
      while true {
        let lines = await log.entries(count)
        for line in lines[(count - 1)...] {
          guard case .printed(let text) = line else { return nil }
          if isWanted(text) { return text }
        }
        count = lines.count + 1
      }
    }

    /// The first line printed that is wanted; nil when the program ends without it.
    func line(where isWanted: (String) -> Bool) async -> String? {
      await Self.line(of: output, where: isWanted)
    }

    /// The first line of errors that is wanted; nil when the program ends without it.
    func errorLine(where isWanted: (String) -> Bool) async -> String? {
      await Self.line(of: errors, where: isWanted)
    }

    /// All lines printed, once it has ended.
    var lines: [String] {
      get async {
        _ = await line { _ in false }
        return output.entries.compactMap { if case .printed(let text) = $0 { text } else { nil } }
      }
    }

    /// Sends a signal and waits for the end; the exit status.
    func end(by number: Int32 = SIGINT) async -> Int32 {
      kill(process.processIdentifier, number)
      _ = await lines
      process.waitUntilExit()
      return process.terminationReason == .exit ? process.terminationStatus : -1
    }
  }
#endif
