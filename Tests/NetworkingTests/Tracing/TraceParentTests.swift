import Foundation
import Networking
import NetworkingTracing
import TestGate
import TestSupport
import Testing

/// The fields `traceparent` and `tracestate`.
///
/// Source: W3C Trace Context, and its test suite.
@Suite(.gated)
struct TraceParentTests {
  private static let value = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

  @Test(arguments: [
    value, " \(value)\t", "cc\(value.dropFirst(2))", "01\(value.dropFirst(2))-what-the-future",
    "\(value.dropLast(2))03", "\(value.dropLast(2))ff",
  ])
  func aValidParentIsParsed(value: String) throws {
    let parent = try #require(TraceParent(value))
    #expect("\(parent.traceID)" == "0af7651916cd43dd8448eb211c80319c")
    #expect("\(parent.spanID)" == "b7ad6b7169203331")
    #expect(parent.isSampled)
    #expect("\(parent)" == Self.value)
  }

  @Test(arguments: [
    "", "00", "00-", String(value.dropLast()), "\(value)-", "\(value)-00", "\(value)0",
    "ff\(value.dropFirst(2))", "0x\(value.dropFirst(2))", "CC\(value.dropFirst(2))",
    "cc\(value.dropFirst(2)).what", "cc\(value.dropFirst(2))0", value.uppercased(),
    value.replacing("0af7651916cd43dd8448eb211c80319c", with: "00000000000000000000000000000000"),
    value.replacing("b7ad6b7169203331", with: "0000000000000000"),
    value.replacing("0af7", with: "0ag7"), value.replacing("b7ad", with: "b7Ad"),
    "\(value.dropLast(2))0g", "\(value.dropLast(3)).01", "00 \(value.dropFirst(3))",
    value.replacing("0af7", with: "0äf7"),
  ])
  func aMalformedParentIsIgnored(value: String) {
    #expect(TraceParent(value, state: "a=b") == nil)
  }

  @Test func onlyTheSampledBitOfTheFlagsCounts() {
    #expect(TraceParent("\(Self.value.dropLast(2))00")?.isSampled == false)
    #expect(TraceParent("\(Self.value.dropLast(2))02")?.isSampled == false)
    #expect(TraceParent("\(Self.value.dropLast(2))09")?.isSampled == true)
  }

  @Test func severalParentsAreNone() {
    var headers: HTTPHeaders = ["Traceparent": Self.value, "tracestate": "a=1"]
    #expect(TraceParent(headers)?.state == "a=1")
    headers.add("b=2", for: "TraceState")
    #expect(TraceParent(headers)?.state == "a=1,b=2")
    headers.add(Self.value, for: "traceparent")
    #expect(TraceParent(headers) == nil)
    #expect(TraceParent([:]) == nil)
  }

  @Test(arguments: [
    ("a=1", "a=1"), ("a=1,b=2", "a=1,b=2"), (" a=1 ,\t b=2 ", "a=1,b=2"), (",a=1,, ,", "a=1"),
    ("a=1,a=2,b=3", "a=1,b=3"), ("fw529a3039@dt=FfIC", "fw529a3039@dt=FfIC"),
    ("0a-_*/=!\"#~", "0a-_*/=!\"#~"), ("a= x y ", "a= x y"),
    ("", nil), (" ", nil), ("a", nil), ("a=", nil), ("=1", nil), ("A=1", nil), ("_a=1", nil),
    ("a=1=2", nil), ("a=1;b", "a=1;b"), ("a b=1", nil), ("a =1", nil), ("a=é", nil),
    ("a=\u{1}", nil),
    ("b=2,a", nil),
  ])
  func aStateIsValidated(value: String, expected: String?) {
    #expect(TraceParent(Self.value, state: value)?.state == expected)
  }

  @Test func aStateHasAtMost32Members() {
    func state(_ count: Int) -> String { (0..<count).map { "k\($0)=v" }.joined(separator: ",") }
    #expect(TraceParent(Self.value, state: state(32))?.state == state(32))
    #expect(TraceParent(Self.value, state: state(33))?.state == nil)
    #expect(TraceParent(Self.value, state: ",,\(state(32)),, ,")?.state == state(32))
  }

  @Test func keysAndValuesAreLimited() {
    let (key, value) = (String(repeating: "k", count: 256), String(repeating: "v", count: 255))
    // Together they are as long as a whole state may be.
    #expect(TraceParent(Self.value, state: "\(key)=\(value)")?.state == "\(key)=\(value)")
    #expect(TraceParent(Self.value, state: "k\(key)=v")?.state == nil)
    #expect(TraceParent(Self.value, state: "k=\(value)vv")?.state == nil)
  }

  @Test func aLongStateLosesLongMembersFirstAndThenTheLast() throws {
    let long = "long=" + String(repeating: "x", count: 200)
    let short = (10..<30).map { "key\($0)=0123456789" }
    let state = ([short[0], long] + short.dropFirst()).joined(separator: ",")
    #expect(state.utf8.count > 512)
    let kept = try #require(TraceParent(Self.value, state: state)?.state)
    #expect(kept == short.joined(separator: ","))
    let many = (10..<42).map { "key\($0)=0123456789012345" }
    let rest = try #require(TraceParent(Self.value, state: many.joined(separator: ","))?.state)
    #expect(rest == many.prefix(22).joined(separator: ","))
    #expect(rest.utf8.count <= 512 && rest.utf8.count + 1 + many[22].utf8.count > 512)
  }

  @Test func aTraceContinuesItsParent() throws {
    let parent = try #require(TraceParent(Self.value, state: "a=b"))
    let trace = Trace("handle", parent: parent)
    #expect(trace.id == parent.traceID)
    #expect(trace.record.id == parent.traceID)
    #expect(trace.record.parent == parent)
    #expect(Trace("other", parent: TraceParent("malformed")).record.parent == nil)
  }

  /// Changes of valid fields, and what is read of them.
  @Test func whateverIsReadIsWrittenInTheSameWay() throws {
    var generator = SeededGenerator(seed: 47)
    func change(_ text: String, _ characters: String) -> String {
      var bytes = Array(text.utf8)
      let alphabet = Array(characters.utf8)
      for _ in 0..<Int.random(in: 0...2, using: &generator) where !bytes.isEmpty {
        let (index, byte) = (
          Int.random(in: 0..<bytes.count, using: &generator),
          alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
        )
        switch Int.random(in: 0...2, using: &generator) {
        case 0: bytes[index] = byte
        case 1: bytes.insert(byte, at: index)
        default: bytes.remove(at: index)
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    }
    var cases: [JSON] = []
    for number in 0..<2_000 {
      var value = change(Self.value, "0123456789abcdefAFg- \t")
      if number % 3 == 0 { value = change("c\(value.dropFirst())-more", "0f-") }
      let count = Int.random(in: 0...40, using: &generator)
      // A key begins with its number, so that no key is repeated.
      let members = (0..<(number % 5 == 0 ? count : count % 4)).map { "a\($0)@b=v\($0)" }
      let state = change(members.joined(separator: ","), "a@=,;*/ \t_A")
      let parent = TraceParent(value, state: state)
      if let parent {
        #expect(TraceParent("\(parent)", state: parent.state) == parent)
        #expect((parent.state?.utf8.count ?? 0) <= 512)
      }
      cases.append([
        "traceparent": .string(value), "tracestate": .string(state),
        "read": parent.map {
          [
            "traceparent": .string("\($0)"), "tracestate": .string($0.state ?? ""),
            "sampled": .bool($0.isSampled),
          ]
        } ?? .null,
      ])
    }
    // The comparison `tracing` of Tests/Differential reads the same fields.
    if let folder = ProcessInfo.processInfo.environment["CATENA_TRACES"] {
      try JSON.array(cases).data()
        .write(to: URL(fileURLWithPath: folder).appendingPathComponent("context.json"))
    }
  }
}
