/// The source location of a promise, for diagnostics.
///
/// The description is `module/file.swift:line`, as in `#fileID` and `#line`. It contains no path of
/// the machine that compiled the program.
public struct CallSite: Sendable, Hashable, CustomStringConvertible {
  let staticFile: StaticString
  /// The line in 24 bits, and the operator.
  private let shortLine: UInt32

  /// The operator that has made the promise, if its handlers are named in a trace.
  @usableFromInline
  package enum Operator: UInt32, Sendable { case handler, then, map, tap, ensure, recover, decode }

  /// Creates a source location.
  ///
  /// Operators pass the `#fileID` and `#line` of their caller.
  ///
  /// - Parameters:
  ///   - file: A `#fileID`.
  ///   - line: A `#line`, counted from 1.
  ///   - name: The operator.
  @usableFromInline
  init(_ file: StaticString, _ line: UInt, _ name: Operator = .handler) {
    staticFile = file
    shortLine = UInt32(truncatingIfNeeded: line) & 0xFF_FFFF | name.rawValue << 24
  }

  /// The module and the file name: `Module/File.swift`.
  public var file: String { "\(staticFile)" }

  /// Whether the location is in a module of this package that makes promises.
  var isInternal: Bool { Self.modules.contains(String(file.prefix { $0 != "/" })) }

  private static let modules: Set = [
    "Promises", "Networking", "NetworkingInterceptors", "NetworkingOAuth2", "NetworkingStreams",
    "NetworkingTransfers", "NetworkingValues", "NetworkingXML", "Mocking", "MockingContracts",
    "MockingOAuth2", "MockingRecordings", "MockingResources", "MockingStubs", "MockingTemplates",
  ]

  /// The line in the file, counted from 1.
  public var line: Int { Int(shortLine & 0xFF_FFFF) }

  /// The operator that has made the promise.
  package var name: Operator { Operator(rawValue: shortLine >> 24) ?? .handler }

  /// The location as `Module/File.swift:line`.
  public var description: String { "\(file):\(line)" }

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
