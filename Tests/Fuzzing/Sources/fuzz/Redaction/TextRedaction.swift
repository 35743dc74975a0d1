import Foundation

@testable import Networking

extension FuzzTarget {
  /// The masking of free text.
  static let textRedaction = FuzzTarget("text-redaction") { input in
    let text = input.text
    for redactor in Redactor.purposes {
      var work = 0
      let masked = redactor.maskedText(text, counting: &work)
      expect(work <= 60 * text.utf8.count + 1_000, "the work is linear: \(work)")
      if !text.utf8.contains(where: { ":=<% \t\r\n".utf8.contains($0) }) {
        expect(masked == text, "a text without delimiters is unchanged")
      }
      // Without quotation marks, so that the input cannot leave the name outside of a value that
      // it begins.
      for field in ["\npassword=\(Plant.secret)\n", "\nX-Api-Key: \(Plant.secret)\n"] {
        guard let planted = Plant.text(field, into: input) else { break }
        Plant.check(redactor.maskedText(planted), of: planted)
        Plant.check(redactor.maskedContent(planted), of: planted)
      }
    }
    checkError(input)
    for redactor in Redactor.purposes {
      Growth.checkLinear(input) { bytes in
        _ = redactor.maskedContent(bytes.text)
      }
    }
  }

  /// Checks the description of an error whose body is the input.
  private static func checkError(_ input: FuzzInput) {
    guard input.bytes.count < 1_500,
      let planted = Plant.text("\npassword=\(Plant.secret)\n", into: input)
    else { return }
    var error = NetworkError(.jsonFailed, "reason")
    error.body = Data(planted.utf8)
    let line = error.description
    Plant.check(line, of: planted)
    expect(!line.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a description is one line: \(line)")
    expect(line.unicodeScalars.count <= 400, "a description is bounded: \(line)")
  }
}
