import Foundation

@testable import Mocking
@testable import Networking

extension FuzzTarget {
  /// The request machine of the mock server.
  ///
  /// The input is the bytes of a connection: any number of pipelined requests.
  static let requests = FuzzTarget("requests", maximumLength: 8_192) { input in
    var limits = MockServerLimits()
    limits.requestLineBytes = 512
    limits.headBytes = 2_048
    limits.headerCount = 20
    limits.bodyBytes = 1_024
    var choices = input.choices
    let policies: [RequestParser.BodyPolicy] = [
      .collect, .keep(upTo: 100), .limited(keep: 50), .discard, .stream(after: 100),
    ]
    let policy = policies[choices.number(below: policies.count)]
    let whole = RequestReader.events(in: [input.bytes[...]], limits, policy)
    let pieces = RequestReader.events(in: input.pieces(), limits, policy)
    expect(whole == pieces, "the size of the pieces has no effect: \(whole) and \(pieces)")
    for event in whole { check(event, limits, policy) }
    Growth.checkLinear(input) { bytes in
      _ = RequestReader.events(in: [bytes[...]], MockServerLimits(), .collect)
    }
  }

  private static func check(
    _ event: RequestParser.Event, _ limits: MockServerLimits, _ policy: RequestParser.BodyPolicy
  ) {
    switch event {
    case .head(let head):
      expect(head.target.utf8.count < limits.requestLineBytes, "the target is bounded")
      expect(head.headers.count <= limits.headerCount, "the number of fields is bounded")
      expect(head.method.rawValue.isToken, "the method is a token")
      let written = RequestReader.events(in: [ArraySlice(bytes(of: head))], limits, .discard)
      expect(written.first == .head(head), "a head that is written again is equal: \(head)")
      if let target = RequestTarget(head.target) {
        expect(!target.path.utf8.contains(UInt8(ascii: "?")), "the path has no query")
        _ = RequestQuery(target.query).items
      }
    case .request(let body):
      expect(body.data.count <= body.byteCount, "no more bytes are kept than received")
      switch policy {
      case .collect:
        expect(body.byteCount <= limits.bodyBytes, "the body is bounded")
        expect(body.data.count == body.byteCount, "all bytes are kept")
      case .keep(let most): expect(body.data.count <= most, "the kept bytes are bounded")
      case .limited(let most):
        expect(body.byteCount <= limits.bodyBytes, "the body is bounded")
        expect(body.data.count <= most, "the kept bytes are bounded")
      case .discard: expect(body.data.isEmpty, "no bytes are kept")
      case .stream: expect(body.data.count == body.byteCount, "all bytes are passed on")
      }
    case .bodyPiece: expect(false, "the reader joins the pieces of a body")
    case .parseError(let error):
      expect((400...599).contains(error.status), "the status of an error: \(error.status)")
      expect(!error.reason.isEmpty, "an error has a reason")
    }
  }

  /// Returns the bytes of a head.
  private static func bytes(of head: RequestHead) -> [UInt8] {
    var bytes = Array("\(head.method.rawValue) \(head.target) HTTP/1.\(head.minorVersion)\r\n".utf8)
    for field in head.headers {
      bytes += Array("\(field.name): ".utf8) + Array(field.value.utf8) + Array("\r\n".utf8)
    }
    return bytes + Array("\r\n".utf8)
  }
}

/// A driver of the request machine.
private enum RequestReader {
  /// Returns the events of a connection that receives pieces of bytes, with the pieces of a body joined.
  static func events(
    in pieces: [ArraySlice<UInt8>], _ limits: MockServerLimits, _ policy: RequestParser.BodyPolicy
  ) -> [RequestParser.Event] {
    var parser = RequestParser(limits: limits)
    var events: [RequestParser.Event] = []
    // The sizes of the pieces of a body depend on those of the input.
    var body = Data()
    for piece in pieces {
      piece.withUnsafeBytes { parser.receive($0) }
      while let event = parser.next() {
        switch event {
        case .head:
          events.append(event)
          parser.receiveBody(policy)
        case .bodyPiece(let data): body += data
        case .request(var request):
          request.data = body + request.data
          body = Data()
          events.append(.request(request))
          parser.responded()
        case .parseError:
          events.append(event)
          expect(parser.next() == nil, "no event follows an error")
          return events
        }
      }
    }
    return events
  }
}
