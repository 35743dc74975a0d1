import Foundation

/// An encoder that converts an `Encodable` value to a tree of parameters.
///
/// The containers themselves never fail. They only rethrow errors of the value's `encode(to:)`.
struct ParameterTreeEncoder: Encoder {
  /// The node that receives the value.
  var node = ParameterNode()
  var codingPath: [any CodingKey] = []
  /// Converts dates.
  ///
  /// `nil` creates ``Parameters/date(_:)``.
  let date: ((Date) -> Parameters)?
  /// Converts data.
  ///
  /// `nil` creates ``Parameters/data(_:)``.
  let data: ((Data) -> Parameters)?
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Returns an encoder for a child node.
  func nested(_ node: ParameterNode, _ key: any CodingKey) -> ParameterTreeEncoder {
    ParameterTreeEncoder(node: node, codingPath: codingPath + [key], date: date, data: data)
  }

  func encode(_ value: some Encodable) throws {
    switch value {
    case let value as Parameters: node.set(value)
    case let value as JSON: node.set(Parameters(value))
    case let value as Data: node.set(data?(value) ?? .data(value))
    case let value as URL: node.set(.string(value.absoluteString))
    case let value as Decimal: node.set(.decimal(value))
    case let value as Date: node.set(date?(value) ?? .date(value))
    default:
      node.sortsNames = value is any StringKeyedDictionary
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

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// Returns an integer as ``Parameters/int(_:)``, or as a decimal if it does not fit into `Int`.
  static func number(_ value: some FixedWidthInteger) -> Parameters {
    if let value = Int(exactly: value) { return .int(value) }
    return Decimal(string: value.description).map { .decimal($0) } ?? .string(value.description)
  }

  /// Returns the `Double` with the same decimal digits as a `Float`.
  ///
  /// A direct conversion would turn `0.1` into `0.10000000149011612`.
  static func number(_ value: Float) -> Parameters {
    .double(Double(value.description) ?? Double(value))
  }
}

extension ParameterTreeEncoder: SingleValueEncodingContainer {
  func encodeNil() { node.set(.null) }
  func encode(_ value: Bool) { node.set(.bool(value)) }
  func encode(_ value: String) { node.set(.string(value)) }
  func encode(_ value: Double) { node.set(.double(value)) }
  func encode(_ value: Float) { node.set(Self.number(value)) }
  func encode(_ value: some FixedWidthInteger & Encodable) { node.set(Self.number(value)) }
}

/// A marker for dictionaries with string keys, whose members have no order.
private protocol StringKeyedDictionary {}

extension Dictionary: StringKeyedDictionary where Key == String {}

/// A mutable node of a tree of parameters under construction.
///
/// It is a class because the containers of an encoder share it.
final class ParameterNode {
  private enum Content {
    case empty
    case value(Parameters)
    case array([ParameterNode])
    case dictionary(names: [String], nodes: [String: ParameterNode])
  }

  private var content = Content.empty
  /// Whether ``parameters`` sorts the members by name, because the encoded value is a dictionary
  /// without an order.
  ///
  /// Otherwise the members keep the order in which they were encoded.
  var sortsNames = false

  /// The number of elements of an array.
  ///
  /// 0 for other content.
  var count: Int { if case .array(let nodes) = content { nodes.count } else { 0 } }

  /// Turns the node into a leaf.
  func set(_ value: Parameters) { content = .value(value) }

  /// Turns the node into an empty array, unless it is an array already.
  func beginArray() {
    if case .array = content { return }
    content = .array([])
  }

  /// Turns the node into an empty dictionary, unless it is a dictionary already.
  func beginDictionary() {
    if case .dictionary = content { return }
    content = .dictionary(names: [], nodes: [:])
  }

  /// Appends an element to an array.
  ///
  /// - Returns: The new element.
  func append() -> ParameterNode {
    let node = ParameterNode()
    guard case .array(var nodes) = content else { return node }
    // Drops the second reference to the array, so that the append does not copy it.
    content = .empty
    nodes.append(node)
    content = .array(nodes)
    return node
  }

  /// Returns the member of a dictionary with a name, and adds it if it does not exist.
  func member(_ name: String) -> ParameterNode {
    guard case .dictionary(var names, var nodes) = content else { return ParameterNode() }
    if let node = nodes[name] { return node }
    let node = ParameterNode()
    // As in `append()`, prevents a copy.
    content = .empty
    names.append(name)
    nodes[name] = node
    content = .dictionary(names: names, nodes: nodes)
    return node
  }

  /// The finished tree.
  ///
  /// A value that encodes nothing becomes an empty dictionary, as in JSON.
  var parameters: Parameters {
    switch content {
    case .empty: return [:]
    case .value(let value): return value
    case .array(let nodes): return .array(nodes.map(\.parameters))
    case .dictionary(let names, let nodes):
      var members: Parameters.Members = [:]
      for name in sortsNames ? names.sorted(by: { $0.isOrdered(before: $1) }) : names {
        members[name] = nodes[name]?.parameters
      }
      return .dictionary(members.keepingNames(sortsNames))
    }
  }
}

/// The keyed container of a ``ParameterTreeEncoder``.
struct ParameterKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ParameterTreeEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func nested(_ key: any CodingKey) -> ParameterTreeEncoder {
    encoder.nested(encoder.node.member(key.stringValue), key)
  }

  private func set(_ value: Parameters, _ key: Key) {
    encoder.node.member(key.stringValue).set(value)
  }

  func encodeNil(forKey key: Key) { set(.null, key) }
  func encode(_ value: Bool, forKey key: Key) { set(.bool(value), key) }
  func encode(_ value: String, forKey key: Key) { set(.string(value), key) }
  func encode(_ value: Double, forKey key: Key) { set(.double(value), key) }
  func encode(_ value: Float, forKey key: Key) { set(ParameterTreeEncoder.number(value), key) }
  func encode(_ value: some FixedWidthInteger & Encodable, forKey key: Key) {
    set(ParameterTreeEncoder.number(value), key)
  }
  func encode(_ value: some Encodable, forKey key: Key) throws { try nested(key).encode(value) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    nested(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nested(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { nested(AnyCodingKey(stringValue: "super")) }
  func superEncoder(forKey key: Key) -> any Encoder { nested(key) }
}

/// The unkeyed container of a ``ParameterTreeEncoder``.
struct ParameterUnkeyedContainer: UnkeyedEncodingContainer {
  let encoder: ParameterTreeEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.count }

  private func nested() -> ParameterTreeEncoder {
    let key = AnyCodingKey(intValue: count)
    return encoder.nested(encoder.node.append(), key)
  }

  func encodeNil() { encoder.node.append().set(.null) }
  func encode(_ value: some Encodable) throws { try nested().encode(value) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    nested().container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
  func superEncoder() -> any Encoder { nested() }
}

/// A key of any dictionary or array.
struct AnyCodingKey: CodingKey {
  let stringValue: String
  private(set) var intValue: Int?

  init(stringValue: String) { self.stringValue = stringValue }

  init(intValue: Int) {
    self.init(stringValue: "\(intValue)")
    self.intValue = intValue
  }
}
