import Foundation
import Networking

extension Tape {
  /// Which names go with secrets, in a recording.
  ///
  /// Those that look it do already, in header fields, queries, forms, JSON, XML and plain text:
  /// `Authorization`, `Cookie`, `X-Api-Key`, `access_token`, `password`, `code` and their like. The values
  /// are replaced by `***`, and numbers in JSON by 0, so that what is replayed still decodes.
  public struct Redaction: Sendable, Hashable {
    /// More names whose values are masked; case and punctuation do not count.
    public var masking: Set<String>
    /// Names whose values are kept although they look like secrets', such as `code`; case and punctuation
    /// do not count.
    public var keeping: Set<String>

    /// Makes rules.
    ///
    /// - Parameters:
    ///   - masking: more names whose values are masked.
    ///   - keeping: names whose values are kept although they look like secrets'.
    public init(masking: Set<String> = [], keeping: Set<String> = []) {
      self.masking = masking
      self.keeping = keeping
    }
  }
}

/// The rules of a recording, ready for use.
struct RedactionNames: Sendable {
  private let masking: Set<String>
  private let keeping: Set<String>

  init(_ rules: Tape.Redaction) {
    masking = Set(rules.masking.map(Self.plain))
    keeping = Set(rules.keeping.map(Self.plain))
  }

  /// Whether a name goes with secrets.
  func areSecret(_ name: String) -> Bool {
    let plain = Self.plain(name)
    if keeping.contains(plain) { return false }
    return masking.contains(plain) || Redaction.isSecret(name: name)
  }

  private static func plain(_ name: String) -> String {
    (name.removingPercentEncoding ?? name).lowercased().filter { $0.isLetter || $0.isNumber }
  }
}
