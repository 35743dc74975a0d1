import Foundation
import TestGate
import Testing

@testable import Mocking

@Suite(.gated)
struct MockFactoriesTests {
  private struct Board: Encodable {
    var title: String
    var id: Int
  }

  private func text(_ mock: Mock?) -> String? {
    guard case .data(let data)? = mock?.body else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  @Test func jsonIsALiteralOrAnyValue() {
    let (id, name) = (7, "ann")
    let optional: Mock? = .json([["id": .int(id), "title": "Fish"]])
    #expect(text(optional) == #"[{"id":7,"title":"Fish"}]"#)
    #expect(text(.json([])) == "[]")
    #expect(text(.json([:])) == "{}")
    #expect(text(.json(nil)) == "null")
    #expect(text(.json(["token": "t-1"])) == #"{"token":"t-1"}"#)
    #expect(text(.json(["name": name])) == #"{"name":"ann"}"#)
    #expect(text(.json(["id": .string(name)])) == #"{"id":"ann"}"#)
    #expect(text(.json(["b": 1, "a": ["c", nil, 2.5]])) == #"{"a":["c",null,2.5],"b":1}"#)
    #expect(text(.json(Board(title: "a/b", id: 1))) == #"{"id":1,"title":"a/b"}"#)
    #expect(text(.json([Board(title: "x", id: 1)])) == #"[{"id":1,"title":"x"}]"#)
    #expect(Mock.json(["a": 1], status: 201).status == 201)
    #expect(Mock.json([]).headers["Content-Type"] == "application/json")
  }

  @Test func membersMayBeValuesOfDifferentTypes() {
    let (id, name, size) = (7, "ann" as String?, nil as Double?)
    #expect(text(.json(["id": id, "title": "Fish"])) == #"{"id":7,"title":"Fish"}"#)
    #expect(
      text(.json(["id": id, "name": name, "size": size, "parent": nil]))
        == #"{"id":7,"name":"ann","parent":null,"size":null}"#)
    #expect(
      text(.json(["board": Board(title: "x", id: 1), "tags": ["a", "b"], "count": 2]))
        == #"{"board":{"id":1,"title":"x"},"count":2,"tags":["a","b"]}"#)
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = .sortedKeys
    let date = Date(timeIntervalSince1970: 1_714_564_800)
    #expect(
      text(.json(["at": date, "id": id], encoder: encoder))
        == #"{"at":"2024-05-01T12:00:00Z","id":7}"#)
    #expect(Mock.json(["id": id, "title": "x"], status: 201).status == 201)
  }

  @Test func largeNumbersAreAccepted() {
    let broken = ResponseScript(.fault(.close, at: .body(afterBytes: .max)))
    #expect(broken.status == 200)
    let longest = Duration.seconds(Int64.max)
    let slow = Mock.Pace.dribble(pieces: 100, over: longest).pieces(of: 1_000)
    #expect(slow.count == 100)
    #expect(slow.last?.moment == longest)
    let many = Mock.bytes(.max).dribbled(pieces: .max, over: .seconds(1)).pace?.pieces(of: .max)
    #expect(many?.count == 10_000)
    #expect(many?.reduce(0) { $0 + $1.byteCount } == .max)
  }

  @Test func theFileNameDeterminesTheContentType() {
    func type(_ name: String) -> String? { Mock.file(name).headers["Content-Type"] }
    #expect(type("a/boards.json") == "application/json")
    #expect(type("Picture.PNG") == "image/png")
    #expect(type("readme") == "application/octet-stream")
    #expect(type("x.unheard-of") == "application/octet-stream")
  }

  @Test func aPaceSplitsABody() {
    func pieces(_ pace: Mock.Pace, of count: Int) -> [String] {
      pace.pieces(of: count).map { "\($0.byteCount) at \($0.moment)" }
    }
    #expect(
      pieces(.dribble(pieces: 3, over: .seconds(10)), of: 7)
        == ["3 at 0.0 seconds", "2 at 5.0 seconds", "2 at 10.0 seconds"])
    #expect(
      pieces(.throughput(bytesPerSecond: 20), of: 5)
        == ["3 at 0.125 seconds", "2 at 0.25 seconds"])
    #expect(pieces(.throughput(bytesPerSecond: 1_000_000), of: 5) == ["5 at 5e-06 seconds"])
    #expect(pieces(.throughput(bytesPerSecond: 1), of: 0).isEmpty)
    let slow = Mock.Pace.throughput(bytesPerSecond: 1).pieces(of: .max)
    #expect(slow.count == 1_000)
    #expect(slow.last?.moment == .seconds(Int.max))
    #expect(slow.reduce(0) { $0 + $1.byteCount } == .max)
  }

  @Test func aFailureIsTheClosestFaultOnTheWire() {
    for code in [NetworkError.Code.connectionLost, .notConnectedToInternet, .pinMismatch] {
      #expect(
        Mock.failure(code).serverMock.interruption
          == .init(fault: .reset, stage: .head(afterBytes: 17)))
    }
    #expect(
      Mock.failure(.timedOut(.attempt)).serverMock.interruption
        == .init(fault: .stall, stage: .request))
    #expect(
      Mock.failure(.malformedResponse).serverMock.interruption
        == .init(fault: .garbage, stage: .request))
    for code in [NetworkError.Code.bodyTooLarge, .mockFailed, .cancelled] {
      let mock = Mock.failure(code).delayed(by: .seconds(2)).serverMock
      #expect(mock.status == 500)
      #expect(mock.delay == .seconds(2))
      #expect(text(mock)?.contains("\(code)") == true)
    }
  }
}

@Suite(.gated)
struct MockDelayTests {
  @Test func aFixedDelayIsConstant() {
    #expect(MockDelay.milliseconds(200).duration(7) == .milliseconds(200))
    #expect(MockDelay.seconds(1.5).duration(0) == .milliseconds(1_500))
    #expect(MockDelay.fixed(.seconds(-1)).duration(0) == .zero)
    #expect(MockDelay.seconds(.nan).duration(0) == .zero)
    #expect(!MockDelay.zero.isRandom)
  }

  @Test func uniformDelaysFillTheirRange() {
    let delay = MockDelay.uniform(.milliseconds(80), .milliseconds(300))
    let draws = (0..<1_000).map { delay.duration($0) }
    #expect(draws.allSatisfy { (.milliseconds(80)...(.milliseconds(300))).contains($0) })
    #expect(draws.contains { $0 < .milliseconds(90) } && draws.contains { $0 > .milliseconds(290) })
    let mean = draws.reduce(.zero, +) / 1_000
    #expect((.milliseconds(180)...(.milliseconds(200))).contains(mean))
  }

  @Test(arguments: [
    (200, "OK"), (226, ""), (404, "Not Found"), (413, "Content Too Large"), (499, ""),
    (505, "HTTP Version Not Supported"), (507, "Insufficient Storage"),
    (511, "Network Authentication Required"),
  ])
  func aProblemIsNamedByItsStatus(status: Int, phrase: String) {
    // RFC 9110, section 15, and the registry of statuses.
    #expect(ReasonPhrase.of(status) == phrase)
  }

  @Test func logNormalDelaysHaveTheirMedianAndCap() {
    let delay = MockDelay.logNormal(median: .milliseconds(100), sigma: 0.8, cap: .milliseconds(500))
    let draws = (0..<2_001).map { delay.duration($0) }.sorted()
    #expect((.milliseconds(90)...(.milliseconds(110))).contains(draws[1_000]))
    #expect(draws.last == .milliseconds(500))
    #expect(draws[0] > .zero)
    // A sixth of a normal distribution is more than one sigma below its median: exp(-0.8) x 100 ms.
    #expect((.milliseconds(41)...(.milliseconds(49))).contains(draws[317]))
    let still = MockDelay.logNormal(median: .seconds(1), sigma: .nan, cap: .seconds(5))
    #expect(still.duration(3) == .seconds(1))
    let wild = MockDelay.logNormal(median: .seconds(1), sigma: .infinity, cap: .seconds(5))
    #expect((0..<100).allSatisfy { (.zero...(.seconds(5))).contains(wild.duration($0)) })
  }

  /// The first draw of a delay uses the second output for its seed.
  ///
  /// Source: https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64.
  @Test func randomDelaysAreDrawnBySplitMix64() {
    // The second to the fifth output for the seed 1234567.
    let outputs: [UInt64] = [
      3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
      16_408_922_859_458_223_821,
    ]
    var seed: UInt64 = 1_234_567
    for output in outputs {
      let delay = MockDelay.uniform(.zero, .seconds(1 << 40), seed: seed)
      #expect(delay.duration(0).components.seconds == Int64(output >> 24))
      // The increment of the state between two outputs.
      seed &+= 0x9E37_79B9_7F4A_7C15
    }
  }

  @Test func aSeedDeterminesTheDelays() {
    func draws(_ seed: UInt64) -> [Duration] {
      let delay = MockDelay.uniform(.zero, .seconds(1), seed: seed)
      return (0..<20).map { delay.duration($0) }
    }
    #expect(draws(1) == draws(1))
    #expect(draws(1) != draws(2))
    #expect(Set(draws(1)).count == 20)
  }
}
