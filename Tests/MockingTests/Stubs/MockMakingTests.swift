import Foundation
import Testing

@testable import Mocking

struct MockMakingTests {
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

  @Test func noNumberIsTooLarge() {
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

  @Test func aFileHasTheTypeOfItsName() {
    func type(_ name: String) -> String? { Mock.file(name).headers["Content-Type"] }
    #expect(type("a/boards.json") == "application/json")
    #expect(type("Picture.PNG") == "image/png")
    #expect(type("readme") == "application/octet-stream")
    #expect(type("x.unheard-of") == "application/octet-stream")
  }

  @Test func aPaceDividesABody() {
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

  @Test func aFailureIsTheNearestThingOnTheWire() {
    #expect(
      Mock.failure(.connectionLost).serverMock.interruption
        == .init(fault: .reset, stage: .head(afterBytes: 17)))
    #expect(
      Mock.failure(.timedOut(.attempt)).serverMock.interruption
        == .init(fault: .stall, stage: .request))
    #expect(
      Mock.failure(.malformedResponse).serverMock.interruption
        == .init(fault: .garbage, stage: .request))
    for code in [NetworkError.Code.dnsFailed, .cannotConnect, .pinMismatch, .cancelled] {
      let mock = Mock.failure(code).delayed(by: .seconds(2)).serverMock
      #expect(mock.status == 500)
      #expect(mock.delay == .seconds(2))
      #expect(text(mock)?.contains("\(code)") == true)
    }
  }
}
