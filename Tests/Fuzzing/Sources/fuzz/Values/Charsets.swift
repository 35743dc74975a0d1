import Foundation

@testable import Networking

extension FuzzTarget {
  /// The decoding of bodies as text.
  ///
  /// The first line of the input is the name of a charset; the rest is the body.
  static let charsets = FuzzTarget("charsets", maximumLength: 2_048) { input in
    let (charset, body) = input.firstLine
    let text = decode(body, charset)
    if charset.lowercased() == "utf-8" {
      let marker: [UInt8] = [0xEF, 0xBB, 0xBF]
      let unmarked = body.starts(with: marker) ? Array(body.dropFirst(3)) : body
      let isValid = String(validating: body, as: UTF8.self) != nil
      expect((text != nil) == isValid, "a text in UTF-8 is decoded if it is valid")
      if let text { expect(Array(text.utf8) == unmarked, "no byte is lost") }
    }
    if let text, let encoding = String.Encoding(charset: charset) {
      expect(body.count.isMultiple(of: encoding.unitSize), "no unit is cut off")
      expect(text.unicodeScalars.count <= body.count, "a byte is one character at most")
    }
    Growth.checkLinear(input) { bytes in
      _ = decode(bytes, charset)
    }
  }

  private static func decode(_ body: [UInt8], _ charset: String) -> String? {
    guard let url = URL(string: "https://a.test/"), charset.isToken else { return nil }
    let head = HTTPResponseHead(
      status: 200, headers: ["Content-Type": "text/plain; charset=\(charset)"])
    let response = Response(head: head, data: Data(body), request: HTTPRequest(url: url))
    do {
      return try StringSerializer().serialize(response)
    } catch {
      expect((error as? NetworkError)?.code == .stringFailed, "the error is \(error)")
      return nil
    }
  }
}
