import Foundation

@testable import MockingRecordings
@testable import Networking

extension FuzzTarget {
  /// The masking of bodies by their media type.
  ///
  /// The first line of the input is the value of `Content-Type`; the rest is the body.
  static let bodyRedaction = FuzzTarget("body-redaction") { input in
    let (type, body) = input.firstLine
    for redactor in Redactor.purposes {
      let shown = redactor.maskedBody(Data(body), contentType: type.isEmpty ? nil : type)
      if redactor.purpose == .display, let shown,
        MediaType(type)?.subtype.hasSuffix("urlencoded") != true
      {
        expect(!shown.utf8.contains(UInt8(ascii: "\n")), "a body is shown as one line: \(shown)")
      }
      let masked = redactor.maskedBody(body.text, mimeType: type)
      if redactor.purpose == .recording {
        let again = redactor.maskedBody(masked, mimeType: type)
        if (try? JSON(parsing: Data(body))) != nil {
          expect(again == masked, "masked JSON is not changed: \(masked)")
        }
        // In a text that is not well-formed, a mask may change what the text around it means, once.
        let third = redactor.maskedBody(again, mimeType: type)
        expect(third == again, "a body that is masked twice is not changed: \(again)")
      }
    }
    checkJSON(body)
    Growth.checkLinear(input) { bytes in
      for redactor in Redactor.purposes { _ = redactor.maskedBody(bytes.text, mimeType: type) }
    }
  }

  /// Plants a secret member into JSON that contains the body as JSON, or as a string.
  private static func checkJSON(_ body: [UInt8]) {
    guard !body.text.contains(Plant.secret) else { return }
    let secret = JSON.string(Plant.secret)
    let value = (try? JSON(parsing: Data(body))) ?? .string(body.text)
    let objects: [JSON] = [
      ["value": secret, "name": "password", "z": value], ["a": value, "user_password": secret],
      .array([value, ["token": [secret, ["b": secret]]]]),
      ["a": .string("\(body.text)\npassword=\(Plant.secret)\n\(body.text)")],
    ]
    for object in objects {
      guard let data = try? object.data() else { continue }
      let text = String(decoding: data, as: UTF8.self)
      for redactor in Redactor.purposes {
        let shown = redactor.maskedBody(data, contentType: "application/json")
        Plant.check(unwrap(shown, "JSON is shown"), of: text)
        Plant.check(redactor.maskedBody(text, mimeType: "application/json"), of: text)
        Plant.check(redactor.maskedBody(text, mimeType: ""), of: text)
      }
    }
  }
}
