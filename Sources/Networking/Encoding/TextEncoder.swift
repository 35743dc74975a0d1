import Foundation

/// Sends text or bytes as they are; what a custom content type without an encoder gets.
struct TextEncoder: ParameterEncoding {
  let contentType: String

  func encode(_ parameters: Parameters) throws -> EncodedParameters {
    switch parameters {
    case .string(let text): .body([.data(Data(text.utf8))], contentType: contentType)
    case .data(let data): .body([.data(data)], contentType: contentType)
    default:
      throw ParameterEncodingError(
        keyPath: "",
        reason: "must be a string or data, as there is no encoder for \(contentType)")
    }
  }
}
