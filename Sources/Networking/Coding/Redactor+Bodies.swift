package import Foundation

extension Redactor {
  /// Masks a body for display.
  ///
  /// - Parameters:
  ///   - data: The body.
  ///   - contentType: The value of the `Content-Type` field, if there is one.
  /// - Returns: The masked body as one line of text, or `nil` if it is not JSON, a form, or text.
  package func maskedBody(_ data: Data, contentType: String?) -> String? {
    guard !data.isEmpty, let text = String(data: data, encoding: .utf8), !text.utf8.contains(0)
    else { return nil }
    let type = contentType.flatMap(MediaType.init(_:))
    switch type?.description {
    case Self.formType: return maskedForm(text)
    case .some(let type) where type.hasSuffix("/json") || type.hasSuffix("+json"):
      return maskedJSON(data) ?? NetworkError.singleLine(maskedContent(text))
    case .some(let type) where Self.tableTypes.contains(type):
      return NetworkError.singleLine(maskedTable(text))
    case .some(let type) where type.hasPrefix("text/") || type.hasSuffix("xml"):
      return NetworkError.singleLine(maskedContent(text))
    case nil:
      if let masked = maskedJSON(data) { return masked }
      let isLongJSON =
        data.count > Self.maximumDisplayedJSONLength && text.utf8.first.map(Self.startsJSON) == true
      return isLongJSON ? NetworkError.singleLine(maskedContent(text)) : nil
    default: return nil
    }
  }

  /// Masks the text of a body that is not multipart, in its original form.
  ///
  /// `MockingRecordings` masks multipart bodies.
  ///
  /// - Parameters:
  ///   - text: The body.
  ///   - type: The media type. Bodies of unknown types are masked as JSON or as free text.
  /// - Returns: The masked text.
  package func maskedBody(_ text: String, type: MediaType?) -> String {
    let type = type?.description
    if type == Self.formType { return maskedForm(text) }
    if let type, Self.tableTypes.contains(type) { return maskedTable(text) }
    // Fast path: most bodies that are not JSON fail this check, which costs less than the parser.
    let first = text.utf8.first { !" \t\r\n".utf8.contains($0) }
    guard first.map(Self.startsJSON) == true else { return maskedContent(text) }
    // JSON without strings has no secrets except for card numbers.
    if !text.utf8.contains(UInt8(ascii: "\"")), !SecretShapes.contains(text) { return text }
    return maskedJSON(Data(text.utf8)) ?? maskedContent(text)
  }

  /// Masks a table of comma-separated values: the columns of secrets, and secrets in other cells.
  ///
  /// - Parameter text: The table.
  /// - Returns: The masked table.
  private func maskedTable(_ text: String) -> String {
    maskedContent(CSVMasker.masked(text, by: mask, names: names))
  }

  private static func startsJSON(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
  }

  private static let formType = "application/x-www-form-urlencoded"
}
