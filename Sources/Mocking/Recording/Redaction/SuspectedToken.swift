/// A value in a recording that looks like a secret, for the user to judge.
///
/// Descriptions of it do not show the value.
public struct SuspectedToken: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// Where it is: `log.entries[3].response.content.text: boards[0].link`.
  public let place: String
  /// The name that goes with the value: of a header field, a parameter or a member; empty where there is
  /// none.
  public let name: String
  /// The value itself.
  public let value: String

  /// Where it is.
  public var description: String { place }

  /// Where it is, and nothing of the value.
  public var customMirror: Mirror { Mirror(self, children: ["place": place, "name": name]) }
}
