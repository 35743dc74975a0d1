import CatenaSystem
package import Foundation

extension JSONDecoder {
  /// Decodes a value from the text of a stranger.
  ///
  /// The result and the errors are those of `decode(_:from:)`, but for members of the type ``JSON`` in it,
  /// whose time is in proportion to the length of the text. See ``JSON/init(from:)``.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - text: The JSON text.
  ///   - attempts: The work for members of the type ``JSON`` after which they are taken from the text, as
  ///     the sum of the squared depths of the values. The default takes about as long as the text takes
  ///     to parse.
  /// - Returns: The value.
  /// - Throws: The error of the decoder, or that of the text for a member of the type ``JSON``. If the text
  ///   is not valid UTF-8, the error says so.
  package func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, fromText text: Data, attempts: Int? = nil
  ) throws -> Value {
    var attempts = JSONText.Attempts(left: attempts ?? 256 + text.count / 128)
    do {
      let value = try JSONText.withCurrent(&attempts) { try decode(type, from: text) }
      if !attempts.areExhausted { return value }
    } catch  where !attempts.areExhausted {
      throw JSONText.error(error, of: text)
    } catch {}
    // Again, because only a copy of the decoder can bring the text to the members.
    do {
      return try JSONText.withCurrent(nil) {
        try (JSONText(text).decoder(like: self) ?? self).decode(type, from: text)
      }
    } catch {
      throw JSONText.error(error, of: text)
    }
  }
}

extension DecodingError {
  /// Whether the text as a whole is not valid UTF-8.
  package var isMalformedText: Bool { explanation == JSONText.malformedUTF8 }
}

extension JSONText {
  /// Returns the error of a text, which names its encoding if that is the cause.
  ///
  /// A decoder that meets a string of other bytes reports that the value has another type.
  static func error(_ error: any Error, of text: Data) -> any Error {
    switch error as? DecodingError {
    case .dataCorrupted where isMalformedUTF8(text), .typeMismatch where isMalformedUTF8(text):
      DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: malformedUTF8, underlyingError: error))
    default: error
    }
  }

  /// The explanation of the error of a text that is not valid UTF-8.
  static let malformedUTF8 = "the text is not valid UTF-8"

  /// Returns whether a JSON text is not valid UTF-8, and in no other encoding of JSON.
  ///
  /// A text in UTF-16 or UTF-32 has a NUL in its first two characters, or a byte order mark.
  static func isMalformedUTF8(_ text: Data) -> Bool {
    let start = text.prefix(4)
    return !start.contains(0) && !start.starts(with: [0xFE, 0xFF])
      && !start.starts(with: [0xFF, 0xFE]) && String(validUTF8: text) == nil
  }
}

/// The text that a `JSONDecoder` reads, from which values of the type ``JSON`` are taken.
///
/// A `Decoder` does not tell the kind of a value, and each failed attempt to decode one takes time in
/// proportion to the square of the depth. The text is used after some attempts, since parsing all of
/// it for a few small values takes longer.
final class JSONText: Sendable {
  /// The attempts of a decoder that does not have the text.
  struct Attempts {
    /// The work that is left.
    var left: Int
    var areExhausted = false
  }

  /// The key of the attempts of the decoder that runs on a thread.
  ///
  /// A decoder is synchronous, and the value of a task takes longer.
  private static let currentKey = makeThreadKey()

  /// The place of the text in the `userInfo` of a decoder.
  private static let key: CodingUserInfoKey = {
    guard let key = CodingUserInfoKey(rawValue: "Catena.JSONText") else {
      preconditionFailure("A key can have any name")
    }
    return key
  }()

  /// The error of a member that needs the text, after which the decoder is replaced.
  struct Wanted: Error {}

  fileprivate struct State: ~Copyable {
    /// Whether the decoder converts the names of members.
    var convertsNames = false
    var root: Result<JSON, any Error>?
    /// The value at the last path, and the values that contain it, from the root.
    var last: [(key: any CodingKey, value: JSON)] = []
    /// The number of names that were converted, so that a test can assert it.
    var conversions = 0
  }

  /// The depth from which values are taken from the text.
  private static let maximumDepthOfAttempts = 16

  private let data: Data
  private let state = Mutex(State())

  init(_ data: Data) { self.data = data }

  /// The number of names that were converted to find values.
  var conversions: Int { state.withLock { $0.conversions } }

  /// Runs a decoder that does not have a text.
  fileprivate static func withCurrent<Value>(
    _ attempts: UnsafeMutablePointer<Attempts>?, _ decode: () throws -> Value
  ) rethrows -> Value {
    let outer = pthread_getspecific(currentKey)
    pthread_setspecific(currentKey, attempts)
    defer { pthread_setspecific(currentKey, outer) }
    return try decode()
  }

  /// Returns the text of a decoder.
  ///
  /// - Parameter decoder: The decoder.
  /// - Returns: The text, or `nil` if the decoder has none, or if attempts are good enough.
  /// - Throws: ``Wanted`` if the decoder can be replaced by one that has the text.
  static func of(_ decoder: any Decoder) throws -> JSONText? {
    if let text = decoder.userInfo[key] as? JSONText { return text }
    guard let current = pthread_getspecific(currentKey) else { return nil }
    let attempts = current.assumingMemoryBound(to: Attempts.self)
    let depth = decoder.codingPath.count + 1
    attempts.pointee.left -= depth * depth
    guard attempts.pointee.left >= 0, depth <= maximumDepthOfAttempts else {
      attempts.pointee.areExhausted = true
      throw Wanted()
    }
    return nil
  }

  /// Returns a copy of a decoder that has the text.
  ///
  /// - Parameter decoder: The decoder.
  /// - Returns: The copy, or `nil` for a subclass, and for settings with which the names or the syntax of a
  ///   text cannot be foreseen.
  func decoder(like decoder: JSONDecoder) -> JSONDecoder? {
    guard type(of: decoder) == JSONDecoder.self, !decoder.allowsJSON5,
      !decoder.assumesTopLevelDictionary
    else { return nil }
    switch decoder.keyDecodingStrategy {
    case .useDefaultKeys: break
    case .convertFromSnakeCase: state.withLock { $0.convertsNames = true }
    case .custom: return nil
    @unknown default: return nil
    }
    let copy = JSONDecoder()
    copy.dateDecodingStrategy = decoder.dateDecodingStrategy
    copy.dataDecodingStrategy = decoder.dataDecodingStrategy
    copy.nonConformingFloatDecodingStrategy = decoder.nonConformingFloatDecodingStrategy
    copy.keyDecodingStrategy = decoder.keyDecodingStrategy
    copy.userInfo = decoder.userInfo
    copy.userInfo[Self.key] = self
    return copy
  }

  /// Returns the value of a decoder.
  ///
  /// - Parameter decoder: A decoder that has the text.
  /// - Returns: The value, or `nil` if the decoder reads another text: the coder of a type may give its
  ///   `userInfo` to a decoder of its own.
  /// - Throws: `DecodingError` if the text cannot be parsed.
  func value(of decoder: any Decoder) throws -> JSON? {
    let path = decoder.codingPath
    do {
      let value = try state.withLock { try $0.value(at: path, in: data) }
      guard let value, value.isValue(of: decoder) else { return nil }
      return value
    } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: path, debugDescription: "The text cannot be read as the type JSON.",
          underlyingError: error))
    }
  }
}

extension JSONText.State {
  /// Returns the value at a path, or `nil` if there is none.
  ///
  /// - Throws: The error of the parser.
  fileprivate mutating func value(at path: [any CodingKey], in text: Data) throws -> JSON? {
    let root = root ?? Result { try JSON(parsing: text) }
    self.root = root
    var value = try root.get()
    for (depth, key) in path.enumerated() {
      // The values of an array have most of their paths in common.
      if depth < last.count, value.isMember(last[depth].key, key) {
        value = last[depth].value
        continue
      }
      last.removeSubrange(depth...)
      guard let member = value.member(key) ?? convertedMember(key.stringValue, of: value) else {
        return nil
      }
      last.append((key, member))
      value = member
    }
    return value
  }

  /// Returns the member of an object whose converted name is given.
  private mutating func convertedMember(_ name: String, of value: JSON) -> JSON? {
    guard convertsNames, case .dictionary(let members) = value else { return nil }
    conversions += members.count
    return members.first { $0.key.convertedFromSnakeCase == name }?.value
  }
}

extension JSON {
  /// Whether two keys are the same in this value.
  fileprivate func isMember(_ key: any CodingKey, _ other: any CodingKey) -> Bool {
    if case .array = self { return key.intValue == other.intValue }
    return key.stringValue == other.stringValue
  }

  /// Returns the element or the member of a key.
  fileprivate func member(_ key: any CodingKey) -> JSON? {
    switch self {
    case .array(let values):
      guard let index = key.intValue, values.indices.contains(index) else { return nil }
      return values[index]
    case .dictionary(let members):
      // The names in dictionaries are not converted.
      return members[key.stringValue]
    case .null, .bool, .int, .decimal, .double, .string: return nil
    }
  }

  /// Whether a decoder may have this value.
  fileprivate func isValue(of decoder: any Decoder) -> Bool {
    guard let container = try? decoder.singleValueContainer() else { return false }
    switch self {
    case .null: return container.decodeNil()
    case .bool(let value): return (try? container.decode(Bool.self)) == value
    case .int, .decimal, .double: return (try? container.decode(Double.self)) != nil
    case .string(let value): return (try? container.decode(String.self)) == value
    case .array(let values): return (try? decoder.unkeyedContainer())?.count == values.count
    case .dictionary: return (try? decoder.container(keyedBy: AnyCodingKey.self)) != nil
    }
  }
}

extension String {
  /// The name after the conversion of `JSONDecoder.KeyDecodingStrategy.convertFromSnakeCase`.
  fileprivate var convertedFromSnakeCase: String {
    guard let start = firstIndex(where: { $0 != "_" }), let end = lastIndex(where: { $0 != "_" })
    else { return self }
    let words = self[start...end].split(separator: "_")
    guard words.count > 1 else { return self }
    let converted = words[0].lowercased() + words.dropFirst().map(\.capitalized).joined()
    return self[..<start] + converted + self[index(after: end)...]
  }
}
