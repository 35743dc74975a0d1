import Foundation
import Networking

/// How bytes of a body are written down as text, and made of it again, without loss.
enum BodyText {
  /// The text, and `base64` when it is that.
  static func of(_ data: Data, mimeType: String) -> (text: String, encoding: String?) {
    let encoding = charset(of: mimeType)
    if encoding == .utf8 {
      if let text = String(validating: data, as: UTF8.self) { return (text, nil) }
    } else if let text = String(data: data, encoding: encoding), text.data(using: encoding) == data
    {
      return (text, nil)
    }
    return (data.base64EncodedString(), "base64")
  }

  /// The bytes; nil when they are to be base64 and are not.
  static func data(_ text: String, encoding: String?, mimeType: String) -> Data? {
    if encoding?.lowercased() == "base64" {
      return Data(base64Encoded: text, options: .ignoreUnknownCharacters).flatMap {
        $0.isEmpty && !text.isEmpty ? nil : $0
      }
    }
    // Others write text whose characters the named set may lack.
    return text.data(using: charset(of: mimeType)) ?? Data(text.utf8)
  }

  private static func charset(of mimeType: String) -> String.Encoding {
    switch MediaType(mimeType)?.parameters["charset"]?.lowercased() {
    case "iso-8859-1", "latin1": .isoLatin1
    case "windows-1252": .windowsCP1252
    default: .utf8
    }
  }
}

extension HAR.Content {
  /// The body; nil when its base64 is none.
  var data: Data? { BodyText.data(text ?? "", encoding: encoding, mimeType: mimeType) }

  /// Puts in another body.
  mutating func set(_ data: Data) {
    (text, encoding) = BodyText.of(data, mimeType: mimeType)
    if data.isEmpty { text = nil }
    size = data.count
  }
}

extension HAR.PostData {
  /// Whether its base64, if it is to be that, is.
  var isReadable: Bool {
    encoding != "base64" || BodyText.data(text ?? "", encoding: encoding, mimeType: mimeType) != nil
  }

  /// The body as text, put together of the parameters where there is no text.
  var content: String {
    text
      ?? (params ?? []).map { field in
        "\(FormText.encode(field.name))=\(FormText.encode(field.value ?? ""))"
      }.joined(separator: "&")
  }
}
