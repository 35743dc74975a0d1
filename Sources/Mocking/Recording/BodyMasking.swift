import Foundation
import Networking

/// Masks the values of telling names in JSON.
///
/// A text in which nothing is masked stays as it is, to the byte; another is written anew, compact, its
/// members sorted by name. Texts become `***` and numbers 0, so that what reads it finds the types that
/// it expects.
struct JSONMasking {
  let names: RedactionNames
  /// Keeps a masked value in mind.
  let learn: (String) -> Void
  /// Masks what is in a text that is a value.
  let text: (String) -> String

  /// The masked text; nil when it is no JSON, or a lone value.
  func mask(_ body: String) -> String? {
    guard let first = body.utf8.first(where: { !" \t\r\n".utf8.contains($0) }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      let json = try? JSON(parsing: Data(body.utf8))
    else { return nil }
    let masked = json.masked(
      where: { name, _ in names.areSecret(name) }, by: hide, texts: text)
    guard masked != json else { return body }
    // What cannot be written cannot be shown to be harmless either.
    return (try? masked.data()).map { String(decoding: $0, as: UTF8.self) } ?? Redaction.mask
  }

  /// All of a value, whatever it consists of.
  private func hide(_ json: JSON) -> JSON {
    switch json {
    case .array(let values): return .array(values.map(hide))
    case .dictionary(let members): return .dictionary(members.mapValues(hide))
    case .string(let value):
      learn(value)
      return .string(value.isEmpty ? "" : Redaction.mask)
    case .int, .double, .decimal: return .int(0)
    case .null, .bool: return json
    }
  }
}

/// Masks the parts of a form whose names tell of secrets.
///
/// Source: RFC 7578.
struct MultipartMasking {
  let boundary: String
  let mask: (_ name: String, _ value: String) -> String?
  /// Masks what is in the text of another part.
  let text: (_ text: String, _ mimeType: String) -> String

  /// The form; parts that are not text stay as they are.
  func mask(_ body: Data) -> Data {
    let delimiter = Data("--\(boundary)".utf8)
    var masked = Data()
    var rest = body[...]
    while let range = rest.range(of: delimiter) {
      masked += part(rest[..<range.lowerBound])
      masked += delimiter
      rest = rest[range.upperBound...]
    }
    return masked + part(rest)
  }

  private func part(_ bytes: Data) -> Data {
    guard let blank = bytes.range(of: Data("\r\n\r\n".utf8)) else { return bytes }
    let head = String(decoding: bytes[..<blank.lowerBound], as: UTF8.self)
    let ending = Data("\r\n".utf8)
    let content = bytes[blank.upperBound...]
    let hasEnding = content.suffix(2) == ending
    let value = hasEnding ? content.dropLast(2) : content
    guard let plain = String(validating: value, as: UTF8.self) else { return bytes }
    let name = head.firstMatch(of: /(?i)[;\s]name="(?<name>(?:[^"\\]|\\.)*)"/)?.output.name ?? ""
    let type = head.firstMatch(of: /(?i)content-type:\s*(?<type>[^\r\n]+)/)?.output.type
    let masked = mask(String(name), plain) ?? text(plain, type.map { String($0) } ?? "text/plain")
    return bytes[..<blank.upperBound] + Data(masked.utf8) + (hasEnding ? ending : Data())
  }
}
