import Foundation

@testable import Mocking
@testable import MockingRecordings
@testable import Networking

extension FuzzTarget {
  /// The masking of recorded exchanges, with all occurrences of their secrets.
  ///
  /// The first line of the input is the media type of the bodies; the rest is the body.
  static let recordings = FuzzTarget("recordings", maximumLength: 2_048) { input in
    let (type, body) = input.firstLine
    var choices = input.choices
    let secret = Plant.secret
    let encoded = Data(secret.utf8).base64EncodedString()
    guard !input.text.contains(secret), !input.text.contains(encoded) else { return }
    var request = HAR.Request(
      method: "POST", url: "https://a.test/b/\(secret)?c=d",
      headers: [
        .init(name: "Authorization", value: "Bearer \(secret)"),
        .init(name: "X-Other", value: "a \(secret) b"), .init(name: "X-Text", value: body.text),
      ])
    let echoes = [secret, encoded, "a/\(secret)"]
    let echo = echoes[choices.number(below: echoes.count)]
    request.postData = HAR.PostData(mimeType: type, text: "\(body.text) \(echo)")
    let content = HAR.Content(mimeType: type, text: "\(echo)\(body.text)")
    let response = HAR.Response(
      status: 200, headers: [.init(name: "Set-Cookie", value: "a=\(secret); Path=/")],
      content: content)
    var entry = HAR.Entry(
      startedDateTime: "2026-01-01T00:00:00.000Z", request: request, response: response)
    let redactor = RecordingRedactor(Tape.Redaction())
    redactor.redact(&entry)
    let text = String(describing: entry)
    Plant.check(text, of: input.text)
    expect(!text.contains(encoded), "a secret in base64 is masked: \(text)")
    // In a text that is not well-formed, a mask may change what the text around it means, once.
    redactor.redact(&entry)
    var again = entry
    redactor.redact(&again)
    expect(
      again == entry, "an exchange that is masked twice is not changed: \(again) and \(entry)")
    var scanner = TokenScanner { _ in false }
    scanner.scan(through: entry, at: 0)
    expect(scanner.paths.count <= 20, "the suspected places are bounded")
    Growth.checkLinear(input) { bytes in
      _ = TokenDetector.tokens(in: bytes.text)
      _ = redactor.secrets.search().replacing(in: bytes.text)
    }
  }
}
