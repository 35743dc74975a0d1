/// The place in the source where a promise was made: what a diagnostic points at.
///
/// Its description is `module/file.swift:line`, as `#fileID` and `#line` give them, so that no path
/// of the machine that compiled the program is in it.
public struct CallSite: Sendable, Hashable, CustomStringConvertible {
  private let staticFile: StaticString
  private let shortLine: UInt32

  /// Names a place; the operators pass their caller's `#fileID` and `#line`.
  ///
  /// - Parameters:
  ///   - file: a `#fileID`.
  ///   - line: a `#line`, counted from 1.
  @usableFromInline
  init(_ file: StaticString, _ line: UInt) {
    staticFile = file
    shortLine = UInt32(truncatingIfNeeded: line)
  }

  /// The module and the file's name, `Module/File.swift`.
  public var file: String { "\(staticFile)" }

  /// The line in the file, counted from 1.
  public var line: Int { Int(shortLine) }

  /// `Module/File.swift:line`.
  public var description: String { "\(file):\(line)" }

  /// Two sites are equal when file and line are.
  public static func == (left: CallSite, right: CallSite) -> Bool {
    left.line == right.line && left.file == right.file
  }

  /// Feeds file and line to the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(file)
    hasher.combine(line)
  }
}
