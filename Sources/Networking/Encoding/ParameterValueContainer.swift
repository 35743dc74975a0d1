/// The one value of an `Encodable` value that is a leaf.
struct ParameterValueContainer: SingleValueEncodingContainer {
  let encoder: ParameterTreeEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func set(_ value: Parameters) { encoder.node.set(value) }

  func encodeNil() { set(.null) }
  func encode(_ value: Bool) { set(.bool(value)) }
  func encode(_ value: String) { set(.string(value)) }
  func encode(_ value: Double) { set(.double(value)) }
  func encode(_ value: Float) { set(ParameterTreeEncoder.number(value)) }
  func encode(_ value: Int) { set(.int(value)) }
  func encode(_ value: Int8) { set(.int(Int(value))) }
  func encode(_ value: Int16) { set(.int(Int(value))) }
  func encode(_ value: Int32) { set(.int(Int(value))) }
  func encode(_ value: Int64) { set(ParameterTreeEncoder.number(value)) }
  func encode(_ value: UInt) { set(ParameterTreeEncoder.number(value)) }
  func encode(_ value: UInt8) { set(.int(Int(value))) }
  func encode(_ value: UInt16) { set(.int(Int(value))) }
  func encode(_ value: UInt32) { set(ParameterTreeEncoder.number(value)) }
  func encode(_ value: UInt64) { set(ParameterTreeEncoder.number(value)) }
  func encode(_ value: some Encodable) throws { try encoder.encode(value) }
}
