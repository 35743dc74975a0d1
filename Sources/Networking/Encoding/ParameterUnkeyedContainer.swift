/// The values of an `Encodable` value that are in a row.
struct ParameterUnkeyedContainer: UnkeyedEncodingContainer {
  let encoder: ParameterTreeEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.count }

  private func below() -> ParameterTreeEncoder {
    let key = PositionKey(intValue: count)
    return encoder.below(encoder.node.append(), key)
  }

  func encodeNil() { encoder.node.append().set(.null) }
  func encode(_ value: some Encodable) throws { try below().encode(value) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    below().container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { below().unkeyedContainer() }
  func superEncoder() -> any Encoder { below() }
}

private struct PositionKey: CodingKey {
  let position: Int
  var stringValue: String { "\(position)" }
  var intValue: Int? { position }

  init(intValue: Int) { position = intValue }

  init?(stringValue: String) {
    guard let position = Int(stringValue) else { return nil }
    self.position = position
  }
}
