import Foundation
import Networking
import TestGate
import Testing

@testable import Mocking

@Suite(.gated)
struct ResponseParserTests {
  private func lines(
    _ pieces: [String], for method: HTTPMethod = .get
  ) -> [String] {
    var reader = ResponseParser(for: method)
    var lines: [String] = []
    for piece in pieces {
      for output in reader.read(.bytes(Array(piece.utf8)[...])) {
        switch output {
        case .head(let head): lines.append("\(head.status) \(head.headers.count)")
        case .body(let data):
          let text = String(decoding: data, as: UTF8.self)
          if lines.last?.hasPrefix("body ") == true {
            lines[lines.count - 1] += text
          } else {
            lines.append("body \(text)")
          }
        case .trailers(let trailers): lines.append("trailers \(trailers.count)")
        case .complete: lines.append("complete")
        case .malformed: lines.append("malformed")
        }
      }
    }
    if lines.last != "complete", lines.last != "malformed" { lines.append("\(reader.end())") }
    return lines
  }

  @Test(
    arguments: [
      ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcd", ["200 1", "body abc", "complete"]),
      ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", ["200 1", "body ab", "lost"]),
      ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ["200 1", "complete"]),
      ("HTTP/1.1 200 OK\r\n\r\nabc", ["200 0", "body abc", "complete"]),
      ("HTTP/1.1 204 \r\n\r\n", ["204 0", "complete"]),
      ("HTTP/1.1 103 \r\nA: b\r\n\r\nHTTP/1.1 204 \r\n\r\n", ["204 0", "complete"]),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n",
        ["200 1", "body abcd", "complete"]
      ),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nno\r\n",
        ["200 1", "body abc", "malformed"]
      ),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab",
        ["200 1", "body ab", "lost"]
      ),
      ("HTTP/1.1 200 OK\r\nno colon\r\n", ["malformed"]), ("HTTQ", ["malformed"]),
      ("HTTP/1.1 abc\r\n", ["malformed"]), ("", ["lost"]), ("HTTP", ["lost"]),
      ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", ["200 1", "malformed"]),
    ] as [(String, [String])])
  func theOutputIsIndependentOfFragmentation(text: String, expected: [String]) {
    #expect(lines([text]) == expected)
    #expect(lines(text.utf8.map { String(decoding: [$0], as: UTF8.self) }) == expected)
  }

  @Test func aResponseToHEADHasNoBody() {
    #expect(
      lines(["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"], for: .head)
        == ["200 1", "complete"])
  }
}
