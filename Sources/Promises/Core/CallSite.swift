/// The source location of a promise, for diagnostics.
///
/// The description is `module/file.swift:line`, as in `#fileID` and `#line`. It contains no path of
/// the machine that compiled the program.
public struct CallSite: Sendable, Hashable, CustomStringConvertible {
  /// The operation that made a promise, for ``Promise/explanation`` and the names of spans.
  @usableFromInline
  package enum Kind: UInt8, Sendable {
    case step, resolver, task, timer, then, map, tap, ensure, recover, decode

    /// The name of the operator, if it is known.
    package var operatorName: String? { rawValue < Kind.then.rawValue ? nil : "\(self)" }
  }

  let staticFile: StaticString
  // Needs no memory, because the fields around it leave a gap.
  package let kind: Kind
  private let shortLine: UInt32

  /// Creates a source location.
  ///
  /// Operators pass the `#fileID` and `#line` of their caller.
  ///
  /// - Parameters:
  ///   - file: A `#fileID`.
  ///   - line: A `#line`, counted from 1. 0 means that `file` is a noun phrase about the awaited event,
  ///     such as `the delay before a retry`.
  ///   - kind: The operation that makes the promise.
  @usableFromInline
  init(_ file: StaticString, _ line: UInt, _ kind: Kind = .step) {
    staticFile = file
    self.kind = kind
    shortLine = UInt32(truncatingIfNeeded: line)
  }

  /// The module and the file name: `Module/File.swift`.
  public var file: String { "\(staticFile)" }

  /// Whether the location is in a module of this package that makes promises.
  var isInternal: Bool {
    line == 0
      || staticFile.withUTF8Buffer { file in
        // Compared as bytes, because a trace asks for each of its handlers.
        Self.modules.contains { $0.withUTF8Buffer { file.starts(with: $0) } }
      }
  }

  private static let modules: [StaticString] = [
    "Promises/", "Networking/", "NetworkingInterceptors/", "NetworkingOAuth2/",
    "NetworkingStreams/", "NetworkingTransfers/", "NetworkingValues/", "NetworkingXML/", "Mocking/",
    "MockingContracts/", "MockingOAuth2/", "MockingRecordings/", "MockingResources/",
    "MockingStubs/", "MockingTemplates/",
  ]

  /// The line in the file, counted from 1.
  public var line: Int { Int(shortLine) }

  /// The location as `Module/File.swift:line`, or the event that a promise of this package stands for.
  public var description: String { line == 0 ? "Catena (\(file))" : "\(file):\(line)" }

  /// Returns whether two locations have the same file and line.
  public static func == (left: CallSite, right: CallSite) -> Bool {
    left.line == right.line && left.file == right.file
  }

  /// Hashes the file and the line.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(file)
    hasher.combine(line)
  }
}
