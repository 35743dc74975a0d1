import CatenaSystem
import Foundation
import Mocking
import MockingRecordings
import Networking

/// The masking of texts and values that leave the admin API.
enum AdminMask {
  /// Keeps the form of bodies, so that JSON stays JSON of the same types.
  private static let redactor = Redactor(purpose: .recording)
  /// The maximum number of bytes of a body that are sent.
  private static let bodyLimit = 256 << 10
  /// The number of characters at the end of a truncated body that may be a part of a secret.
  private static let cutLength = 1_024

  /// Masks the secrets in a JSON value.
  static func json(_ json: JSON) -> JSON {
    guard let data = try? JSON.array([json]).data() else { return .string(Redactor.mask) }
    let text = redactor.maskedBody(
      String(decoding: data, as: UTF8.self), mimeType: "application/json")
    guard let masked = try? JSON(parsing: Data(text.utf8)) else { return .string(Redactor.mask) }
    return masked[0]
  }

  /// Masks the secrets in a definition of a stub, and leaves the expressions of its templates.
  ///
  /// The expression `{{ variables.token }}` is no secret, although the member of its value is named
  /// `token`. Texts in quotation marks in an expression are masked.
  static func definition(_ json: JSON) -> JSON { showingExpressions(of: json, in: self.json(json)) }

  private static func showingExpressions(of original: JSON, in masked: JSON) -> JSON {
    switch (original, masked) {
    case (.dictionary(let members), .dictionary(let masked)):
      // Without templates, braces are a part of a text.
      guard members["template"] != false else { return .dictionary(masked) }
      return .dictionary(
        Dictionary(
          uniqueKeysWithValues: masked.map { name, value in
            (name, members[name].map { showingExpressions(of: $0, in: value) } ?? value)
          }))
    case (.array(let elements), .array(let masked)) where elements.count == masked.count:
      return .array(zip(elements, masked).map { showingExpressions(of: $0, in: $1) })
    case (.string(let text), .string(let masked)) where text != masked && text.contains("{{"):
      return .string(maskedAroundExpressions(text, masked))
    default: return masked
    }
  }

  /// Masks the text around and the literals in the expressions of a template.
  ///
  /// - Parameters:
  ///   - text: The template.
  ///   - masked: The text in which secrets are masked, which is used if it has all expressions.
  /// - Returns: The masked text.
  private static func maskedAroundExpressions(_ text: String, _ masked: String) -> String {
    let expressions = text.ranges(of: /\{\{.*?\}\}/.dotMatchesNewlines())
    guard !expressions.allSatisfy({ masked.contains(text[$0]) }) else { return masked }
    func mask(_ literal: Substring) -> String {
      let scheme = literal.trimmingCharacters(in: .whitespaces).lowercased()
      let isScheme = ["", "basic", "bearer", "digest", "token"].contains(scheme)
      return isScheme ? String(literal) : Redactor.mask
    }
    var result = ""
    var end = text.startIndex
    for range in expressions {
      result += mask(text[end..<range.lowerBound])
      result += text[range].replacing(
        /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/, with: "'\(Redactor.mask)'")
      end = range.upperBound
    }
    return result + mask(text[end...])
  }

  /// Returns a value in which masked values that are unchanged are replaced by the original ones.
  ///
  /// A client may thus send a value back that it has received.
  ///
  /// - Parameters:
  ///   - new: The value from the client.
  ///   - old: The value before it was masked.
  ///   - masked: The value as the client has received it. `nil` masks the value.
  /// - Returns: The value to store.
  static func restored(_ new: JSON, from old: JSON, maskedAs masked: JSON? = nil) -> JSON {
    restored(new, old, masked ?? json(old))
  }

  private static func restored(_ new: JSON, _ old: JSON, _ masked: JSON) -> JSON {
    if new == masked { return old }
    switch (new, old, masked) {
    case (.dictionary(let values), .dictionary(let old), .dictionary(let masked)):
      return .dictionary(
        Dictionary(
          uniqueKeysWithValues: values.map { name, value in
            guard let old = old[name], let masked = masked[name] else { return (name, value) }
            return (name, restored(value, old, masked))
          }))
    case (.array(let values), .array(let old), .array(let masked)):
      return .array(
        values.enumerated().map { index, value in
          guard old.indices.contains(index), masked.indices.contains(index) else { return value }
          return restored(value, old[index], masked[index])
        })
    default: return new
    }
  }

  static func url(_ text: String) -> String {
    String(Redactor.standard.maskedURL(text).prefix(4_096))
  }

  static func headers(_ headers: HTTPHeaders) -> JSON {
    .array(
      headers.map { field in
        [
          "name": .string(field.name),
          "value": .string(Redactor.standard.maskedFieldValue(field.value, name: field.name)),
        ]
      })
  }

  /// Returns a body as text, or in base64 if it is no text.
  ///
  /// - Parameters:
  ///   - data: The body, or its beginning.
  ///   - byteCount: The size of the whole body.
  ///   - headers: The header fields of the message.
  /// - Returns: The type, the size and the content.
  static func body(_ data: Data, of byteCount: Int, _ headers: HTTPHeaders) -> JSON {
    let type = headers["Content-Type"]
    let kept = data.prefix(bodyLimit)
    let isTruncated = kept.count < byteCount
    var members: [String: JSON] = [
      "type": type.map { .string($0) } ?? .null, "size": .int(byteCount),
      "truncated": .bool(isTruncated), "text": .null, "base64": .null,
    ]
    guard !kept.isEmpty else { return .dictionary(members) }
    // The beginning of a text may end inside a character.
    let text = (0..<(isTruncated ? 4 : 1)).lazy.compactMap { dropped in
      String(validUTF8: kept.dropLast(dropped))
    }.first
    if let text, !text.utf8.contains(0), !headers.contains("Content-Encoding") {
      let masked = redactor.maskedBody(text, mimeType: type ?? "text/plain")
      members["text"] = .string(
        isTruncated ? String(masked.dropLast(min(cutLength, masked.count / 2))) : masked)
    } else {
      let masked = type.flatMap { redactor.maskedMultipart(Data(kept), mimeType: $0) }
      members["base64"] = .string((masked ?? Data(kept)).base64EncodedString())
    }
    return .dictionary(members)
  }
}
