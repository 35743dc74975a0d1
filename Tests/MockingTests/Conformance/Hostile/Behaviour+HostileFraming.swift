#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import TestSupport

  extension Behaviour {
    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let chunked = "\(ok)Transfer-Encoding: chunked\r\n\r\n"

    /// Source: RFC 9112 section 6.3.
    private static let invalidLengths: [HostileRow] =
      [
        "2\r\nContent-Length: 4", "4\r\nContent-Length: 2", "2, 4", "2,", ",2", "", " ", "+2", "-2",
        "2a",
        "a2", "0x2", "1 2", "2.0", "2;", "\"2\"", "٢", "99999999999999999999",
        "18446744073709551618",
        "9223372036854775808",
      ].map { length in
        .init(
          "length \(Data(length.utf8).escaped())", .malformed,
          openText: "\(ok)Content-Length: \(length)\r\n\r\nabcd")
      }

    private static let lengths: [HostileRow] =
      [
        .init(
          "equal lengths", .response(200, "ab"),
          openText: "\(ok)Content-Length: 2\r\nContent-Length: 2, 2\r\n\r\nab"),
        .init(
          "a length of 9 EB", .lost, text: "\(ok)Content-Length: 9223372036854775807\r\n\r\nab"),
        .init(
          "a body beyond the length", .response(200, "ab"),
          openText: "\(ok)Content-Length: 2\r\n\r\nabcdef"),
        .init(
          "a whole response beyond the length", .response(200, "ab"),
          openText: "\(ok)Content-Length: 2\r\n\r\nab\(ok)Content-Length: 5\r\n\r\nother"),
        .init(
          "a whole response beyond an empty body", .response(200, ""),
          openText: "\(ok)Content-Length: 0\r\n\r\n\(ok)Content-Length: 5\r\n\r\nother"),
        .init(
          "204 with a body", .response(204, ""),
          openText: "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nab"),
        .init(
          "304 with a body", .response(304, ""),
          openText: "HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\nab"),
        .init(
          "204 in chunks", .response(204, ""), .malformed,
          openText: "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n"),
        .init(
          "204 with a body in chunks", .response(204, ""), .malformed,
          openText:
            "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"),
        .init("HEAD with a body", .response(200, ""), request: { .head("/hostile") }) { _ in
          [.text("\(ok)Content-Length: 2\r\n\r\nab")]
        },
        .init("HEAD with a body in chunks", .response(200, ""), request: { .head("/hostile") }) {
          _ in
          [.text("\(chunked)2\r\nab\r\n0\r\n\r\n")]
        },
      ]

    /// Source: RFC 9112 sections 6.1 and 7.1.
    private static let invalidChunks: [HostileRow] =
      [
        ("a chunk size that is no number", "xyz\r\nabc\r\n0\r\n\r\n"),
        ("an empty chunk size", "\r\nabc\r\n0\r\n\r\n"),
        ("a negative chunk size", "-3\r\nabc\r\n0\r\n\r\n"),
        ("a chunk size with a sign", "+3\r\nabc\r\n0\r\n\r\n"),
        ("a chunk size with 0x", "0x3\r\nabc\r\n0\r\n\r\n"),
        ("a chunk size of 17 digits", "10000000000000003\r\nabc\r\n0\r\n\r\n"),
        ("a chunk size of 2 to the power of 64 less 1", "ffffffffffffffff\r\nabc\r\n0\r\n\r\n"),
        ("a chunk size of 2 to the power of 63", "8000000000000000\r\nabc\r\n0\r\n\r\n"),
        ("a chunk longer than its size", "2\r\nabc\r\n0\r\n\r\n"),
        ("a chunk without an end", "3\r\nabc0\r\n\r\n"),
        ("an endless chunk size", String(repeating: "0", count: 1 << 16)),
      ].map { name, body in
        .init(name, .malformed, openText: chunked + body)
      }

    private static let chunks: [HostileRow] =
      [
        .init(
          "a chunk shorter than its size", .malformed, .response(200, "abc\r"),
          text: "\(chunked)4\r\nabc\r\n0\r\n\r\n"),
        .init(
          "a chunk extension", .response(200, "abc"),
          openText: "\(chunked)3;a=\"b;c\"\r\nabc\r\n0;d\r\n\r\n"),
        .init(
          "chunks in bare LFs", .response(200, "abc"), .malformed,
          openText: "\(chunked)3\nabc\n0\n\n"),
        .init(
          "a chunk size in a space", .response(200, "abc"), .malformed,
          openText: "\(chunked)3 \r\nabc\r\n0\r\n\r\n"),
        .init(
          "a chunk extension of 1 MiB", .response(200, "abc"), .malformed,
          text: "\(chunked)3;" + String(repeating: "a", count: 1 << 20) + "\r\nabc\r\n0\r\n\r\n"),
        .init(
          "a trailer with framing fields", .response(200, "abc"),
          openText:
            "\(chunked)3\r\nabc\r\n0\r\nContent-Length: 9\r\nTransfer-Encoding: gzip\r\n\r\n"),
        .init(
          "an endless trailer", .malformed,
          steps: .text(
            "\(chunked)3\r\nabc\r\n0\r\n" + String(repeating: "X-A: b\r\n", count: 1 << 17)),
          .stall),
        .init(
          "an unasked response after chunks", .response(200, "abc"),
          openText: "\(chunked)3\r\nabc\r\n0\r\n\r\n\(ok)Content-Length: 5\r\n\r\nother"),
        .init(
          "chunks and a length", .response(200, "abc"), .malformed,
          openText:
            "\(ok)Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        )
        .byCurl(.response(200, "abc")),
        .init(
          "a length and chunks", .response(200, "abc"), .malformed,
          openText:
            "\(ok)Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        )
        .byCurl(.response(200, "abc")),
        .init(
          "an unknown transfer coding", .malformed,
          openText: "\(ok)Transfer-Encoding: rot13\r\n\r\nabc"),
        .init(
          "an unknown transfer coding before chunks", .malformed,
          openText: "\(ok)Transfer-Encoding: rot13, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
        .init(
          "chunks twice", .malformed,
          openText: "\(ok)Transfer-Encoding: chunked, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
        .init(
          "a transfer coding with a letter more", .malformed,
          openText: "\(ok)Transfer-Encoding: xchunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
        .init(
          "chunks after a vertical tab", .malformed,
          openText: "\(ok)Transfer-Encoding: \u{B}chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
        .init(
          "chunks in HTTP/1.0", .response(200, "abc"), .malformed,
          text: "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
      ]

    static let hostileFraming = (invalidLengths + lengths + invalidChunks + chunks).map(\.behaviour)
  }
#endif
