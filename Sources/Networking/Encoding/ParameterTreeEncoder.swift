import Foundation

/// Builds a tree of parameters of what an `Encodable` value says.
struct ParameterTreeEncoder: Encoder {
  let node: ParameterNode
  let codingPath: [any CodingKey]
  let date: ((Date) -> Parameters)?
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(
    node: ParameterNode = ParameterNode(), codingPath: [any CodingKey] = [],
    date: ((Date) -> Parameters)?
  ) {
    self.node = node
    self.codingPath = codingPath
    self.date = date
  }

  /// The same for a place below.
  func below(_ node: ParameterNode, _ key: any CodingKey) -> ParameterTreeEncoder {
    ParameterTreeEncoder(node: node, codingPath: codingPath + [key], date: date)
  }

  func encode(_ value: some Encodable) throws {
    switch value {
    case let value as Parameters: node.set(value)
    case let value as JSON: node.set(Parameters(value))
    case let value as Data: node.set(.data(value))
    case let value as URL: node.set(.string(value.absoluteString))
    case let value as Decimal: node.set(.decimal(value))
    case let value as Date where date != nil: node.set(date?(value) ?? .null)
    default:
      node.sortsNames = value is any KeyedByStrings
      try value.encode(to: self)
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.beginDictionary()
    return KeyedEncodingContainer(ParameterKeyedContainer<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.beginArray()
    return ParameterUnkeyedContainer(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    ParameterValueContainer(encoder: self)
  }

  /// A whole number as the case that holds it.
  static func number(_ value: some BinaryInteger & CustomStringConvertible) -> Parameters {
    if let value = Int(exactly: value) { return .int(value) }
    return Decimal(string: value.description).map { .decimal($0) } ?? .string(value.description)
  }

  /// A floating-point number as `Double`, of a `Float` the one that is written alike.
  static func number(_ value: Float) -> Parameters {
    .double(Double(value.description) ?? Double(value))
  }
}

private protocol KeyedByStrings {}

extension Dictionary: KeyedByStrings where Key == String {}
