/// A value in a recording that looks like a secret.
///
/// Its descriptions do not contain the value. A recording with such a value is not saved, unless
/// ``Tape/Options-swift.struct/isTokenAllowed`` allows it.
///
/// ```swift
/// var options = Tape.Options()
/// options.isTokenAllowed = { token in token.name == "checksum" }
/// ```
public struct SuspectedToken: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The location of the value, such as `log.entries[3].response.content.text: boards[0].link`.
  public let place: String
  /// The name of the header field or JSON member that contains the value.
  ///
  /// Empty if there is none.
  public let name: String
  /// The value.
  public let value: String

  /// The location of the value.
  public var description: String { place }

  /// A mirror of the location and the name, without the value.
  public var customMirror: Mirror { Mirror(self, children: ["place": place, "name": name]) }
}
