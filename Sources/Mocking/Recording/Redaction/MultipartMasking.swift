import Foundation

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
