#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import TestSupport

  extension Behaviour {
    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let body = "Content-Length: 2\r\n\r\nab"

    private static let statusLines: [HostileRow] = [
      .init("HTTP/0.9", .malformed, text: "<html>hello</html>\r\n"),
      .init("HTTP/0.9 without a line break", .malformed, text: "hello"),
      .init("an empty line before the status line", .malformed, text: "\r\n\(ok)\(body)"),
      .init("version 0.9", .malformed, text: "HTTP/0.9 200 OK\r\n\(body)"),
      .init("version 1.2", .malformed, text: "HTTP/1.2 200 OK\r\n\(body)"),
      .init("version 3.0", .malformed, text: "HTTP/3.0 200 OK\r\n\(body)"),
      .init("version 2 without TLS", .malformed, text: "HTTP/2 200 OK\r\n\(body)"),
      .init("version 2.0 without TLS", .malformed, text: "HTTP/2.0 200 OK\r\n\(body)"),
      .init("version 11", .malformed, text: "HTTP/11 200 OK\r\n\(body)"),
      .init("version 1.10", .malformed, text: "HTTP/1.10 200 OK\r\n\(body)"),
      .init("no version", .malformed, text: "HTTP/ 200 OK\r\n\(body)"),
      .init("a protocol in lower case", .malformed, text: "http/1.1 200 OK\r\n\(body)"),
      .init("another protocol", .malformed, text: "ICY 200 OK\r\n\(body)"),
      .init("status 000", .malformed, text: "HTTP/1.1 000 OK\r\n\(body)"),
      .init("status 99", .malformed, text: "HTTP/1.1 99 OK\r\n\(body)"),
      .init("status 099", .malformed, text: "HTTP/1.1 099 OK\r\n\(body)"),
      .init("status 1000", .malformed, text: "HTTP/1.1 1000 OK\r\n\(body)"),
      .init("status -200", .malformed, text: "HTTP/1.1 -200 OK\r\n\(body)"),
      .init("status +20", .malformed, text: "HTTP/1.1 +20 OK\r\n\(body)"),
      .init("status 20x", .malformed, text: "HTTP/1.1 20x OK\r\n\(body)"),
      .init("status 999", .response(999, "ab"), text: "HTTP/1.1 999 Odd\r\n\(body)"),
      .init("a status line of a NUL", .malformed, text: "HTTP/1.1 200 O\0K\r\n\(body)"),
      .init(
        "an unasked switch of protocols", .malformed,
        openText: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n"),
      .init(
        "100 interim responses", .response(200, "ab"),
        text: String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 100) + ok + body),
      .init(
        "endless interim responses", .malformed,
        steps: .text(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 40_000)), .stall),
      .init(
        "an interim response with a length", .response(200, "abcdef"),
        text: "HTTP/1.1 103 Early Hints\r\nContent-Length: 2\r\n\r\n\(ok)\r\nabcdef"),
      .init(
        "an interim response in chunks", .response(200, "ab"),
        openText: "HTTP/1.1 103 Early Hints\r\nTransfer-Encoding: chunked\r\n\r\n\(ok)\(body)"),
    ]

    private static let fields: [HostileRow] = [
      .init(
        "a first field line that begins with a space", .malformed,
        text: "\(ok) X-A: b\r\n\(body)"),
      .init(
        "a first field line that begins with a tab", .malformed,
        text: "\(ok)\tX-A: b\r\n\(body)"),
      .init("a first field line of spaces only", .malformed, text: "\(ok)   \r\n\(body)"),
      .init("a folded field", .response(200, "ab"), text: "\(ok)X-A: b\r\n  c\r\n\td\r\n\(body)"),
      .init(
        "a folded length", .malformed, .response(200, "ab"),
        text: "\(ok)Content-Length:\r\n 2\r\n\r\nab"
      )
      .byCurl(.malformed),
      .init(
        "a length folded into two numbers", .malformed,
        text: "\(ok)Content-Length: 2\r\n 4\r\n\r\nabcd"),
      .init(
        "a field without a name", .malformed, .response(200, "ab"),
        text: "\(ok): value\r\n\(body)"
      )
      .byCurl(.response(200, "ab")),
      .init("a field without a colon", .malformed, text: "\(ok)nothing\r\n\(body)"),
      .init(
        "a space before the colon", .malformed, .response(200, "ab"),
        text: "\(ok)X-A : b\r\n\(body)"
      )
      .byCurl(.response(200, "ab")),
      .init(
        "a space before the colon of the length", .malformed,
        text: "\(ok)Content-Length : 2\r\n\r\nab"),
      .init(
        "a space before the colon of the transfer coding", .malformed,
        text: "\(ok)Transfer-Encoding : chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"),
      .init(
        "a folded transfer coding", .malformed,
        text: "\(ok)Transfer-Encoding:\r\n chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"),
      .init(
        "a line that begins with a bare CR", .malformed, text: "\(ok)\rX-A: b\r\n\(body)"),
      .init("a NUL in a name", .malformed, text: "\(ok)X\0-A: b\r\n\(body)"),
      .init("a NUL in a value", .malformed, text: "\(ok)X-A: b\0c\r\n\(body)"),
      .init("a NUL in the length", .malformed, text: "\(ok)Content-Length: 2\0\r\n\r\nab"),
      .init(
        "control characters in a value", .malformed, .response(200, "ab"),
        text: "\(ok)X-A: b\u{1}\u{1B}[31m\u{7F}\r\n\(body)"
      )
      .byCurl(.response(200, "ab")),
      .init("a bare CR in a value", .malformed, text: "\(ok)X-A: b\rSet-Cookie: c=d\r\n\(body)"),
      .init("a bare CR in a name", .malformed, text: "\(ok)X\rA: b\r\n\(body)"),
      .init("bare LFs", .response(200, "ab"), text: "HTTP/1.1 200 OK\nContent-Length: 2\n\nab"),
      .init("bare CRs", .malformed, .lost, text: "HTTP/1.1 200 OK\rContent-Length: 2\r\rab"),
      .init(
        "an endless status line", .malformed,
        steps: .text("HTTP/1.1 200 " + String(repeating: "a", count: 1 << 20)), .stall),
      .init(
        "an endless field", .malformed,
        steps: .text("\(ok)X-A: " + String(repeating: "a", count: 1 << 20)), .stall),
      .init(
        "an endless name", .malformed,
        steps: .text(ok + String(repeating: "a", count: 1 << 20)), .stall),
      .init(
        "an endless head", .malformed,
        steps: .text(ok + String(repeating: "X-A: b\r\n", count: 1 << 17)), .stall),
      .init(
        "1,000 fields", .response(200, "ab"),
        text: ok + String(repeating: "X-A: b\r\n", count: 1_000) + body),
    ]

    /// Cookies are parsed in the client, whichever transport delivers them.
    private static let cookieFields: [HostileRow] = [
      "😀😀😀=1", "a=1; 😀😀😀=1", "e\u{301}\u{301}\u{301}=1; \u{301}=2", "=", ";", "=;=;=", "\u{FFFD}=1",
      "a=1; Expires=😀😀😀; Max-Age=99999999999999999999; Domain=😀; Path=😀",
      "a=" + String(repeating: "😀", count: 2_000), String(repeating: "a=1; ", count: 2_000),
    ].enumerated().map { index, value in
      .init("cookie \(index)", .response(200, "ab"), text: "\(ok)Set-Cookie: \(value)\r\n\(body)")
    }

    static let hostileHeads = (statusLines + fields + cookieFields).map(\.behaviour)
  }
#endif
