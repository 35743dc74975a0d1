import Foundation

@testable import MockingRecordings
@testable import Networking

extension FuzzTarget {
  /// The masking of multipart bodies.
  ///
  /// The first line of the input is the value of `Content-Type`; the rest is the body.
  static let multipartRedaction = FuzzTarget("multipart-redaction") { input in
    let (type, body) = input.firstLine
    for redactor in Redactor.purposes {
      guard var masked = redactor.maskedMultipart(Data(body), mimeType: type) else { continue }
      // In a text that is not well-formed, a mask may change what the text around it means. Each time it
      // masks more, so the text soon stays the same.
      var rounds = 0
      while true {
        guard let again = redactor.maskedMultipart(masked, mimeType: type) else {
          fatalError("violated: a masked body is still multipart: \(masked.text)")
        }
        guard again != masked else { break }
        (masked, rounds) = (again, rounds + 1)
        expect(rounds < 8, "a body stays the same after some masks: \(masked.text) of \(body.text)")
      }
    }
    checkPart(body)
    Growth.checkLinear(input) { bytes in
      for redactor in Redactor.purposes {
        _ = redactor.maskedMultipart(Data(bytes), mimeType: type)
        _ = redactor.maskedMultipart(Data(bytes), mimeType: "multipart/mixed; boundary=a")
      }
    }
  }

  /// Plants a secret part after parts that are the body.
  private static func checkPart(_ body: [UInt8]) {
    guard !body.text.contains(Plant.secret) else { return }
    let boundary = "Qz7-Unlikely-Boundary"
    guard !body.text.contains(boundary) else { return }
    let part =
      "\r\n--\(boundary)\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n"
      + "\(Plant.secret)\r\n--\(boundary)--\r\n"
    let data = Data("--\(boundary)\r\n".utf8) + Data(body) + Data(part.utf8)
    for redactor in Redactor.purposes {
      let masked = redactor.maskedMultipart(
        data, mimeType: "multipart/form-data; boundary=\(boundary)")
      Plant.check(unwrap(masked, "a multipart body is masked").text, of: data.text)
    }
  }
}

extension Data {
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
