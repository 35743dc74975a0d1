import Foundation

@testable import Networking

extension FuzzTarget {
  /// The masking of URLs and forms.
  static let urlRedaction = FuzzTarget("url-redaction", maximumLength: 2_048) { input in
    let text = input.text
    var work = 0
    _ = FieldMasker.masked(
      "/p?\(text)", in: .url, by: Redactor.standard.mask, counting: &work)
    expect(work <= 60 * text.utf8.count + 1_000, "the work is linear: \(work)")
    for redactor in Redactor.purposes {
      // A mask may shorten a value so that more of it is read, once.
      let masked = redactor.maskedURL(redactor.maskedURL(text))
      expect(redactor.maskedURL(masked) == masked, "a masked URL is masked: \(masked) of \(text)")
      if redactor.purpose == .display {
        expect(!masked.utf8.contains(UInt8(ascii: "#")), "the fragment is removed: \(masked)")
      }
      if let url = Plant.text("?access_token=\(Plant.secret)&", into: input) {
        Plant.check(redactor.maskedURL(url), of: url)
      }
      if let form = Plant.text("&password=\(Plant.secret)&", into: input) {
        Plant.check(redactor.maskedForm(form), of: form)
      }
      if !text.contains(Plant.secret) {
        let url = "https://user:\(Plant.secret)@a.test/\(text)"
        Plant.check(redactor.maskedURL(url), of: url)
      }
    }
    checkWebhook(text)
    for redactor in Redactor.purposes {
      Growth.checkLinear(input) { bytes in
        _ = redactor.maskedURL(bytes.text)
        _ = redactor.maskedForm(bytes.text)
      }
    }
  }

  private static func checkWebhook(_ text: String) {
    let path = text.utf8.filter { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "/") }
    let url = "https://hooks.a.test/\(String(decoding: path, as: UTF8.self))/\(Plant.secret)"
    guard !text.contains(Plant.secret) else { return }
    Plant.check(Redactor.standard.maskedURL(url), of: url)
    Plant.check(Redactor.standard.maskedText("see \(url)"), of: url)
  }
}
