import Foundation

extension Parameters {
  /// Makes parameters of any value that can encode itself.
  ///
  /// Names stand in the order in which the value encodes them; those of a dictionary with string keys
  /// are sorted, as it has no order of its own. `Data` becomes ``data(_:)``, a `URL` its text, a
  /// `Decimal` a number, and ``Parameters`` and ``JSON`` inside the value stay what they are. Numbers
  /// that are not finite are taken here, and refused when the parameters are encoded.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - date: what to make of a `Date`; nil leaves it to `Date`, which gives the seconds since 2001.
  /// - Throws: what the value's `encode(to:)` throws.
  public init(encoding value: some Encodable, date: ((Date) -> Parameters)? = nil) throws {
    let encoder = ParameterTreeEncoder(date: date)
    try encoder.encode(value)
    self = encoder.node.parameters
  }
}
