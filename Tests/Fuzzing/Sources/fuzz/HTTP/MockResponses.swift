import Foundation

@testable import Mocking
@testable import Networking

extension FuzzTarget {
  /// The parser of the responses that mock transports play.
  ///
  /// The input is the bytes of a response.
  static let mockResponses = FuzzTarget("mock-responses") { input in
    var choices = input.choices
    let method: HTTPMethod = choices.number(below: 4) == 0 ? .head : .get
    let whole = MockResponseReader.read([input.bytes[...]], method)
    let pieces = MockResponseReader.read(input.pieces(), method)
    expect(whole == pieces, "the size of the pieces has no effect: \(whole) and \(pieces)")
    expect(whole.body.count <= input.bytes.count, "the body has no more bytes than the response")
    if method == .head { expect(whole.body.isEmpty, "the response to HEAD has no body") }
    for head in whole.heads {
      expect((200...999).contains(head.status), "the status \(head.status)")
    }
    expect(whole.heads.count <= 1, "there is one head")
    Growth.checkLinear(input) { bytes in
      _ = MockResponseReader.read([bytes[...]], .get)
    }
  }
}

/// A driver of the parser.
private enum MockResponseReader {
  struct Result: Equatable {
    var heads: [HTTPResponseHead] = []
    var body = Data()
    var completions = 0
    var isMalformed = false
    var isLost = false
  }

  static func read(_ pieces: [ArraySlice<UInt8>], _ method: HTTPMethod) -> Result {
    var parser = ResponseParser(for: method)
    var result = Result()
    for piece in pieces {
      for output in parser.read(.bytes(piece)) {
        expect(!result.isMalformed, "no output follows an error")
        switch output {
        case .head(let head): result.heads.append(head)
        case .body(let data):
          expect(!data.isEmpty && result.heads.count == 1, "a piece of the body follows a head")
          result.body += data
        case .trailers(let trailers): expect(!trailers.isEmpty, "trailers have fields")
        case .complete: result.completions += 1
        case .malformed: result.isMalformed = true
        }
      }
      if result.isMalformed { break }
    }
    expect(result.completions <= 1, "a response completes once")
    if !result.isMalformed { result.isLost = parser.end() == .lost }
    // The bytes of the body before an error depend on the sizes of the pieces.
    if result.isMalformed { result.body = Data() }
    return result
  }
}
