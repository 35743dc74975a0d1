import Foundation
import NetworkingTracing

extension Duration {
  static func ms(_ count: Int) -> Duration { .milliseconds(count) }
}

extension TraceSegment {
  init(_ kind: Kind, _ start: Int, _ end: Int, heldBy: Int? = nil, detail: String? = nil) {
    self.init(
      kind, from: .ms(start), to: .ms(end), heldBy: heldBy, detail: detail, attempt: 1, hop: 1)
  }
}

/// Records of traces for tests of the forms.
enum TraceSamples {
  static let id = TraceID(high: 0x0AF7_6519_16CD_43DD, low: 0x8448_EB21_1C80_319C)
  static let start = Date(timeIntervalSince1970: 1_700_000_000)

  static func call(
    _ id: Int, _ name: String, _ start: Int, _ end: Int, status: Int = 200,
    cause: TraceSpan.Cause = .beginning, _ parts: [TraceSegment]
  ) -> TraceSpan {
    let hop = TraceCall.Hop(
      spanID: SpanID(bits: UInt64(0xB7AD_6B71_6920_3330 + UInt64(id))), start: .ms(start),
      end: .ms(end), method: "GET", url: "https://api.example.com/v1/boards?page=\(id)",
      template: "boards", status: status, httpVersion: "2", address: "203.0.113.7", port: 443)
    return TraceSpan(
      id: id, kind: .call(TraceCall(number: "#\(id)", hops: [hop])), name: name, start: .ms(start),
      end: .ms(end), cause: cause, parts: parts)
  }

  /// A list, a handler on the main thread, and two calls of it, of which one waits in the queue.
  static var chain: TraceRecord {
    TraceRecord(
      name: "open board", id: id, start: start, elapsed: .ms(1_840),
      spans: [
        call(
          1, "GET boards", 0, 700,
          [
            TraceSegment(.dns, 0, 20), TraceSegment(.connect, 20, 60), TraceSegment(.tls, 60, 226),
            TraceSegment(.send, 226, 230), TraceSegment(.server, 230, 690),
            TraceSegment(.receive, 690, 700),
          ]),
        TraceSpan(
          id: 2, kind: .handler(.mainThread, started: .ms(710)), name: "then",
          site: "Board.swift:12", start: .ms(700), end: .ms(720), cause: .span(1)),
        call(
          3, "GET boards/{id}", 715, 1_100, cause: .span(2),
          [TraceSegment(.send, 715, 720), TraceSegment(.server, 720, 1_100)]),
        call(
          4, "GET boards/{id}/cards", 716, 1_830, cause: .span(2),
          [
            TraceSegment(.queue, 716, 1_120, heldBy: 3, detail: ".limited(4)"),
            TraceSegment(.server, 1_120, 1_790), TraceSegment(.receive, 1_790, 1_830),
          ]),
        TraceSpan(
          id: 5, kind: .decoding, name: "decode [Card]", start: .ms(1_830), end: .ms(1_840),
          cause: .span(4), joined: [3]),
      ], cause: .span(5))
  }

  /// Canaries in each text of a record.
  static func record(withSecret secret: String) -> TraceRecord {
    let text = "password=\(secret)"
    var hop = TraceCall.Hop(
      start: .zero, end: .ms(5), method: "GET",
      url: "https://ada:\(secret)@api.example.com/a?token=\(secret)", template: "a?token=\(secret)",
      status: 500, errorType: text)
    hop.address = text
    return TraceRecord(
      name: text, id: id, start: start, elapsed: .ms(10),
      spans: [
        TraceSpan(
          id: 1, kind: .call(TraceCall(number: text, hops: [hop])), name: text, site: text,
          start: .zero, end: .ms(5),
          parts: [TraceSegment(.queue, 0, 5, detail: text)], outcome: .failed(text),
          attributes: [
            "Authorization": .text("Bearer \(secret)"), "X-Api-Key": .text(secret),
            "note": .text(text), "password": .text(secret),
          ]),
        TraceSpan(
          id: 2, kind: .handler(.actor(text), started: nil), name: "Bearer \(secret)",
          start: .ms(5), end: nil, cause: .span(1)),
      ], ending: .failed(text))
  }
}
