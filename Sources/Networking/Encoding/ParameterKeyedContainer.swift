/// The named values of an `Encodable` value.
struct ParameterKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ParameterTreeEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func below(_ key: any CodingKey) -> ParameterTreeEncoder {
    encoder.below(encoder.node.member(key.stringValue), key)
  }

  private func set(_ value: Parameters, _ key: Key) {
    encoder.node.member(key.stringValue).set(value)
  }

  func encodeNil(forKey key: Key) { set(.null, key) }
  func encode(_ value: Bool, forKey key: Key) { set(.bool(value), key) }
  func encode(_ value: String, forKey key: Key) { set(.string(value), key) }
  func encode(_ value: Double, forKey key: Key) { set(.double(value), key) }
  func encode(_ value: Float, forKey key: Key) { set(ParameterTreeEncoder.number(value), key) }
  func encode(_ value: Int, forKey key: Key) { set(.int(value), key) }
  func encode(_ value: Int8, forKey key: Key) { set(.int(Int(value)), key) }
  func encode(_ value: Int16, forKey key: Key) { set(.int(Int(value)), key) }
  func encode(_ value: Int32, forKey key: Key) { set(.int(Int(value)), key) }
  func encode(_ value: Int64, forKey key: Key) { set(ParameterTreeEncoder.number(value), key) }
  func encode(_ value: UInt, forKey key: Key) { set(ParameterTreeEncoder.number(value), key) }
  func encode(_ value: UInt8, forKey key: Key) { set(.int(Int(value)), key) }
  func encode(_ value: UInt16, forKey key: Key) { set(.int(Int(value)), key) }
  func encode(_ value: UInt32, forKey key: Key) { set(ParameterTreeEncoder.number(value), key) }
  func encode(_ value: UInt64, forKey key: Key) { set(ParameterTreeEncoder.number(value), key) }
  func encode(_ value: some Encodable, forKey key: Key) throws { try below(key).encode(value) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    below(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    below(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { below(SuperKey.super) }
  func superEncoder(forKey key: Key) -> any Encoder { below(key) }
}

private enum SuperKey: String, CodingKey {
  case `super`
}
