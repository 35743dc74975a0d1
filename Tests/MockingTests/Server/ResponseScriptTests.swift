import Foundation
import Networking
import TestGate
import Testing

@testable import Mocking

/// Returns the steps of a script as text.
private func lines(
  _ response: Mock, for exchange: ResponseScript.ResponseContext = .init()
) -> [String] {
  ResponseScript(response, for: exchange).steps.map { step in
    switch step {
    case .wait(let moment): "wait \(moment)"
    case .send(.bytes(let bytes)): String(decoding: bytes, as: UTF8.self)
    case .send(.data(let data)): String(decoding: data, as: UTF8.self)
    case .send(.generated(let range, _)): "generated \(range)"
    case .stream(let cursor): "stream at \(cursor.moment)"
    case .relay(_, let framing): "relay \(framing)"
    case .end(let ending): "\(ending)"
    }
  }
}

private func wire(_ response: Mock, for exchange: ResponseScript.ResponseContext = .init())
  -> String
{
  lines(response, for: exchange).joined()
}

@Suite(.gated)
struct ResponseScriptTests {
  @Test func aSmallResponseIsSentInOneCall() {
    let plain =
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\n\r\nhi"
    #expect(lines(.text("hi")) == [plain, "keepAlive"])
    #expect(
      lines(.status(404)) == ["HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "keepAlive"])
    #expect(wire(.status(204)) == "HTTP/1.1 204 No Content\r\n\r\nkeepAlive")
    #expect(wire(.status(599)) == "HTTP/1.1 599 \r\nContent-Length: 0\r\n\r\nkeepAlive")
  }

  @Test func chunksAreFramed() {
    let response = Mock.chunks(
      [Data("abc".utf8), Data(), Data("d".utf8)], contentType: nil)
    #expect(
      wire(response)
        == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\nkeepAlive"
    )
    #expect(
      wire(response, for: .init(minorVersion: 0))
        == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabcdfinish")
  }

  @Test func aResponseToHEADHasNoBody() {
    #expect(
      wire(.text("hi"), for: .init(method: .head)).hasSuffix("Content-Length: 2\r\n\r\nkeepAlive"))
    #expect(
      wire(.bytes(7), for: .init(method: .head)).hasSuffix("Content-Length: 7\r\n\r\nkeepAlive"))
  }

  @Test func theConnectionClosesIfEitherSideRequestsIt() {
    #expect(
      wire(.status(200), for: .init(keepsAlive: false))
        == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\nfinish")
    #expect(wire(.status(200).header("Connection", "close")).hasSuffix("finish"))
  }

  @Test func aContentLengthOfTheHandlerIsSentUnchanged() {
    let response = Mock.text("hi").header("Content-Length", "10")
    #expect(wire(response).contains("Content-Length: 10\r\n\r\nhi"))
    #expect(!wire(response).contains("Content-Length: 2"))
  }

  @Test func anInvalidHeaderBecomesA500() {
    for headers in [["A": "b\r\nc: d"], ["A b": "c"], ["": "c"], ["A": "\0"]] as [HTTPHeaders] {
      #expect(wire(.status(200, headers: headers)).hasPrefix("HTTP/1.1 500 "))
    }
    #expect(wire(.status(99)).hasPrefix("HTTP/1.1 500 "))
  }

  @Test func aDelayPrecedesADribbledBody() {
    let response = Mock.data(Data("abcdefg".utf8), contentType: nil)
      .delayed(by: .seconds(3)).dribbled(pieces: 3, over: .seconds(10))
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n"
    #expect(
      lines(response) == [
        "wait 3.0 seconds", head, "abc", "wait 8.0 seconds", "de", "wait 13.0 seconds", "fg",
        "keepAlive",
      ])
  }

  @Test func aBodyCanHaveItsOwnDelay() {
    let mock = Mock.text("hi").delayed(by: .seconds(3)).bodyDelayed(by: .seconds(4))
    #expect(
      lines(mock).map { String($0.prefix(12)) } == [
        "wait 3.0 sec", "HTTP/1.1 200", "wait 7.0 sec", "hi", "keepAlive",
      ])
  }

  @Test func aThroughputDeterminesTheTimeOfEachPiece() {
    let mock = Mock.bytes(250).throttled(bytesPerSecond: 1_000)
    #expect(
      lines(mock).dropFirst() == [
        "wait 0.125 seconds", "generated 0..<125", "wait 0.25 seconds", "generated 125..<250",
        "keepAlive",
      ])
  }

  @Test(arguments: [0, -1, Int.min])
  func aThroughputIsAtLeastOneBytePerSecond(_ bytesPerSecond: Int) {
    let mock = Mock.text("ab")
    let slowest = lines(mock.throttled(bytesPerSecond: 1))
    #expect(slowest.contains("wait 1.0 seconds"))
    #expect(lines(mock.throttled(bytesPerSecond: bytesPerSecond)) == slowest)
  }

  @Test func aDribbleHasAtMostOnePiecePerByte() {
    #expect(lines(.text("ab").dribbled(pieces: 100, over: .seconds(1))).count == 5)
    #expect(lines(.text("").dribbled(pieces: 100, over: .seconds(1))).count == 2)
    #expect(lines(.text("ab").dribbled(pieces: -1, over: .seconds(-1))).count == 3)
  }
}

@Suite(.gated)
struct ResponseFaultTests {
  private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
  private static let response = Mock.data(Data("abcd".utf8), contentType: nil)

  @Test(arguments: [
    (MockFault.close, "close"), (MockFault.reset, "reset"), (MockFault.stall, "stall"),
  ])
  func aFaultEndsTheScriptAtItsStage(fault: MockFault, ending: String) {
    func wire(_ stage: MockFault.Stage) -> String {
      lines(Self.response.interrupted(by: fault, at: stage)).joined()
    }
    #expect(wire(.request) == ending)
    #expect(wire(.head(afterBytes: 8)) == "HTTP/1.1" + ending)
    #expect(wire(.head(afterBytes: 999)) == Self.head + ending)
    #expect(wire(.body(afterBytes: 0)) == Self.head + ending)
    #expect(wire(.body(afterBytes: 3)) == Self.head + "abc" + ending)
    #expect(wire(.body(afterBytes: 999)) == Self.head + "abcd" + ending)
    #expect(wire(.body(afterBytes: -1)) == Self.head + ending)
    #expect(wire(.end) == Self.head + "abcd" + ending)
  }

  @Test func garbageIsInsertedAndTheRestFollows() {
    func wire(_ stage: MockFault.Stage) -> String {
      lines(Self.response.interrupted(by: .garbage(Data("!!".utf8)), at: stage)).joined()
    }
    #expect(wire(.request) == "!!" + Self.head + "abcdkeepAlive")
    #expect(wire(.head(afterBytes: 4)) == "HTTP!!" + Self.head.dropFirst(4) + "abcdkeepAlive")
    #expect(wire(.body(afterBytes: 2)) == Self.head + "ab!!cdkeepAlive")
    #expect(wire(.end) == Self.head + "abcd!!keepAlive")
  }

  @Test func aMalformedChunkFollowsAValidOne() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    let response = Self.response.interrupted(by: .malformedChunk, at: .body(afterBytes: 3))
    #expect(lines(response).joined() == head + "3\r\nabc\r\nno-size\r\nclose")
    let early = Self.response.interrupted(by: .malformedChunk, at: .request)
    #expect(lines(early).joined() == head + "no-size\r\nclose")
  }

  @Test func aFaultWithoutAMockHasABodyToTruncate() {
    #expect(
      lines(.fault(.reset, at: .body(afterBytes: 512))).suffix(2) == ["generated 0..<512", "reset"])
  }
}
