/// Whether attaching a reaction takes on the promise's rejection, its work, or neither.
///
/// It stands outside `Promise`, since inside it would be generic as that is, and each test of it in
/// code that is not specialised a search for metadata.
@usableFromInline
struct Interest: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// A rejection is handled, or passed on to a promise that has to be.
  @inlinable static var rejection: Interest { Interest(rawValue: 1) }
  /// The value is wanted: upstream work goes on while this consumer stays.
  @inlinable static var value: Interest { Interest(rawValue: 2) }
  /// What a derived promise takes on.
  @inlinable static var everything: Interest { [.rejection, .value] }
}
