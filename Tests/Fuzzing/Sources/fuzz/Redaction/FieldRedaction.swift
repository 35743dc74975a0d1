import Foundation

@testable import Networking
@testable import NetworkingTracing

extension FuzzTarget {
  /// The masking of header fields, and of the commands for curl that show them.
  ///
  /// Each line of the input is a header field.
  static let fieldRedaction = FuzzTarget("field-redaction", maximumLength: 2_048) { input in
    for line in input.lines {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let (name, value) = (String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
      for redactor in Redactor.purposes {
        let masked = redactor.maskedFieldValue(value, name: name)
        if redactor.purpose == .display, redactor.isSecret(name: name, value: value) {
          expect(masked == Redactor.mask, "a secret value is masked as a whole: \(line)")
        }
      }
      checkSecrets(value)
    }
    checkCommand(input)
    let names = ["Authorization", "Cookie", "Set-Cookie", "Location", "X-Other", "X-Token"]
    for redactor in Redactor.purposes {
      Growth.checkLinear(input) { bytes in
        for name in names { _ = redactor.maskedFieldValue(bytes.text, name: name) }
      }
    }
  }

  private static func checkSecrets(_ value: String) {
    guard !value.contains(Plant.secret) else { return }
    let secret = Plant.secret
    let fields = [
      ("Authorization", "Bearer \(secret)\(value)"), ("Authorization", "\(value) \(secret)"),
      ("Proxy-Authorization", "\(value)\(secret)"), ("Cookie", "\(value); a=\(secret)"),
      ("Cookie", "\(value)=\(secret)"), ("Cookie", "a=\u{301}\(secret)=\(value)"),
      ("Set-Cookie", "a=\(secret);\(value)"),
      ("X-Api-Key", "\(value)\(secret)"), ("Location", "/\(value)?token=\(secret)"),
    ]
    for (name, text) in fields {
      for redactor in Redactor.purposes {
        Plant.check(redactor.maskedFieldValue(text, name: name), of: "\(name): \(text)")
      }
    }
  }

  private static func checkCommand(_ input: FuzzInput) {
    guard let url = URL(string: "https://a.test/b?token=\(Plant.secret)"),
      let text = Plant.text("\npassword=\(Plant.secret)\n", into: input)
    else { return }
    var choices = input.choices
    let types = ["text/plain", "application/x-www-form-urlencoded", "application/json"]
    let request = HTTPRequest(
      method: .post, url: url,
      headers: [
        "Authorization": "Bearer \(Plant.secret)", "X-Text": input.text,
        "Content-Type": types[choices.number(below: types.count)],
      ], body: .data(Data(text.utf8)))
    checkWords(request, text)
    // In a form, a line break does not separate fields.
    if request.headers["Content-Type"] != types[1] {
      Plant.check(request.curlCommand(), of: text)
    }
  }

  /// Checks that a shell reads the words of a command as they were meant.
  private static func checkWords(_ request: HTTPRequest, _ body: String) {
    guard ShellQuoting.argument(Data(body.utf8)) != nil else { return }
    var words = ["curl", "-X", "POST"]
    for field in request.headers {
      let value = NetworkError.singleLine(field.value)
      words += ["-H", value.isEmpty ? "\(field.name);" : "\(field.name): \(value)"]
    }
    words += ["--data-raw", body, request.url.absoluteString]
    let command = request.curlCommand(redacted: false)
    expect(shellWords(command) == words.map { Array($0.utf8) }, "words of \(command)")
  }

  /// Returns the words of a command line, as the bytes that a shell passes on.
  ///
  /// Source: POSIX.1-2017, Shell Command Language, section 2.2.
  private static func shellWords(_ command: String) -> [[UInt8]] {
    var words: [[UInt8]] = [[]]
    var (isQuoted, isEscaped) = (false, false)
    for byte in command.utf8 {
      switch byte {
      case _ where isEscaped:
        words[words.count - 1].append(byte)
        isEscaped = false
      case UInt8(ascii: "'"): isQuoted.toggle()
      case UInt8(ascii: "\\") where !isQuoted: isEscaped = true
      case UInt8(ascii: " ") where !isQuoted: words.append([])
      default:
        let isPlain = byte.isASCIIAlphanumeric || "-@".utf8.contains(byte)
        expect(isQuoted || isPlain, "a special character is quoted: \(command)")
        words[words.count - 1].append(byte)
      }
    }
    expect(!isQuoted && !isEscaped, "the quotation marks are balanced: \(command)")
    return words
  }
}
