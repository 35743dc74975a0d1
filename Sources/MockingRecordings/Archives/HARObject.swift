import Foundation
public import Networking

/// A part of an HTTP archive that is an object in the file.
///
/// Archives of many programs differ from the specification. A part is therefore read from any JSON
/// value: a missing member, `null`, and a value that cannot be converted to the type of a property
/// count as the default of this property. A number counts as its text if a text is expected, and a
/// text as its number. No other type should conform to this protocol.
public protocol HARObject: Codable, Sendable, Hashable {
  /// The members that have no property, such as the custom members of other programs, whose names
  /// begin with an underscore.
  ///
  /// They are written back. A member with the name of a property is ignored.
  var otherMembers: [String: JSON] { get set }
  /// The object, with ``otherMembers``.
  var json: JSON { get }

  /// Reads a part.
  ///
  /// - Parameter json: The object.
  init(json: JSON)
}

extension HARObject {
  /// Decodes a part as ``init(json:)`` does.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if the value is not JSON.
  public init(from decoder: any Decoder) throws {
    self.init(json: try JSON(from: decoder))
  }

  /// Encodes ``json``.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The errors of the encoder, for a number in ``otherMembers`` that is not finite.
  public func encode(to encoder: any Encoder) throws {
    try json.encode(to: encoder)
  }
}

/// The members of an object in an archive, each of which is read once.
struct HARMembers {
  /// The members that have not been read.
  private(set) var rest: [String: JSON]

  init(_ json: JSON) {
    rest = json.dictionary ?? [:]
  }

  /// Removes a member and returns its value, or `nil` if it is missing or `null`.
  mutating func take(_ name: String) -> JSON? {
    guard let value = rest.removeValue(forKey: name), !value.isNull else { return nil }
    return value
  }

  /// Reads a text; the text of a number or of a Boolean; or an object or an array as JSON text.
  mutating func text(_ name: String) -> String? {
    take(name).map { $0.string ?? $0.description }
  }

  /// Reads a finite number.
  mutating func number(_ name: String) -> Double? {
    guard let value = take(name) else { return nil }
    let number =
      value.double
      ?? value.string.flatMap { Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }

  /// Reads a number and rounds it toward zero.
  mutating func integer(_ name: String) -> Int? {
    number(name).flatMap { Int(exactly: $0.rounded(.towardZero)) }
  }

  /// Reads a Boolean, also one that is a text.
  mutating func bool(_ name: String) -> Bool? {
    guard let value = take(name) else { return nil }
    return value.bool ?? value.string.flatMap { Bool($0.lowercased()) }
  }

  /// Reads a list of objects.
  ///
  /// - Returns: The objects. Elements of other kinds are left out. An object that is not a list
  ///   counts as an empty list.
  mutating func list<Element: HARObject>(_ name: String) -> [Element] {
    (take(name)?.array ?? []).filter { $0.dictionary != nil }.map { Element(json: $0) }
  }

  /// Reads an object, or `nil` if the member is not an object.
  mutating func object<Value: HARObject>(_ name: String) -> Value? {
    guard let value = take(name), value.dictionary != nil else { return nil }
    return Value(json: value)
  }

  /// Returns an object of members and other members.
  ///
  /// - Parameters:
  ///   - members: The members. Those that are `nil` are left out.
  ///   - others: The members that are written too, unless they have the name of a member.
  /// - Returns: The object.
  static func json(_ members: [String: JSON?], and others: [String: JSON]) -> JSON {
    .dictionary(
      others.filter { members[$0.key] == nil }.merging(members.compactMapValues(\.self)) { $1 })
  }

  /// Converts a list.
  static func json(_ list: [some HARObject]) -> JSON { .array(list.map(\.json)) }

  /// Converts a number.
  ///
  /// One that is not finite cannot be written, and becomes -1, which means unknown.
  static func json(_ number: Double) -> JSON {
    guard number.isFinite else { return -1 }
    return Int(exactly: number).map { .int($0) } ?? .double(number)
  }
}

extension String {
  /// The text as a JSON value.
  var json: JSON { .string(self) }
}
