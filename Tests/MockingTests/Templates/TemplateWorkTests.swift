import Foundation
import Networking
import TestGate
import TestSupport
import Testing
import ThreadSanitizerSupport

@testable import Mocking
@testable import MockingDocuments
@testable import MockingTemplates

/// The work of a template is charged before it is done, whatever the values of a request are.
@Suite(.gated)
struct TemplateWorkTests {
  /// Returns a value of a request with about `count` elements or characters.
  private static func value(_ count: Int, _ generator: inout SeededGenerator) -> JSON {
    let texts = [
      "x", "\"", "\u{1}", "\u{149}", "\u{390}", "\u{130}", "😀", "\r\n", "%41", "%FF", "QUFB", ",",
      "x,", "a.", "7",
    ]
    func text() -> String { texts.randomElement(using: &generator) ?? "" }
    let element: JSON =
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: .int(.random(in: .min ... .max, using: &generator))
      case 1: .double(Double(bitPattern: 0x7FEF_FFFF_FFFF_FFFF))
      case 2: .decimal(Decimal(string: "12345678901234567890123456789012345678") ?? 0)
      case 3: [.string(text()), [:]]
      case 4: ["x": .string(text()), "a": ["a": 1]]
      case 5: .null
      default: .string(text())
      }
    switch Int.random(in: 0..<7, using: &generator) {
    case 0...2: return .string(String(repeating: text(), count: count))
    case 3, 4: return .array(Array(repeating: element, count: count))
    case 5:
      return .dictionary(
        Dictionary(uniqueKeysWithValues: (0..<count).map { ("\(text())\($0)", element) }))
    default: return element
    }
  }

  private static func count(_ generator: inout SeededGenerator) -> Int {
    1 << Int.random(in: 0..<TestSize.of(12, full: 14), using: &generator)
  }

  /// Returns the charge for a conversion, and its result, or `nil` if it exceeds the limit.
  private static func charge(
    _ filter: TemplateFilter, _ input: JSON, _ arguments: [JSON], limit: Int = TemplateWork.limit
  ) -> (size: Int, result: JSON)? {
    var work = TemplateWork(limit: limit)
    guard let result = try? filter.value(of: input, arguments, &work) else { return nil }
    return (limit - work.remaining, result)
  }

  @Test(arguments: TemplateFilter.allCases)
  func aResultIsAtMostInProportionToItsCharge(filter: TemplateFilter) {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<TestSize.of(60, full: 200) {
      let input = Self.value(Self.count(&generator), &generator)
      let number = Int.random(in: filter.argumentCount, using: &generator)
      var arguments = (0..<number).map { _ in Self.value(Self.count(&generator), &generator) }
      // The second of three arguments is part of the template.
      if number == 3 { arguments[1] = "<=" }
      guard let charge = Self.charge(filter, input, arguments) else { continue }
      let given = ([input] + arguments).reduce(0) { $0 + $1.totalSize }
      #expect(charge.size <= TemplateWork.limit)
      // Parts of the input are no new values.
      #expect(charge.result.totalSize <= given + charge.size + 64, "\(filter.rawValue)")
      let refused = Self.charge(filter, input, arguments, limit: charge.size - 1)
      #expect(charge.size == 0 || refused == nil, "\(filter.rawValue)")
    }
  }

  /// Each result would have 10 GB or more, or need as many steps.
  @Test(arguments: [
    "body.text | replace('x', body.text)", "body.list | join(body.text)",
    "body.list | map(body.text)", "body.list | unique(body.path)", "body.list | sort(body.text)",
    "body.list | where(body.text, 1)", "body.list | find(body.text, 1)",
  ])
  func aResultBeyondTheLimitIsNotBuilt(expression: String) throws {
    let text = String(repeating: "x", count: 250_000)
    let list = Array(repeating: #"{"y":1}"#, count: 50_000).joined(separator: ",")
    let path = Array(repeating: "x", count: 100_000).joined(separator: ".")
    let fixture = try TemplateFixture(
      body: #"{"text": "\#(text)", "list": [\#(list)], "path": "\#(path)"}"#)
    #expect(throws: TemplateRenderError.tooMuchWork) {
      try fixture.text("{{ \(expression) | length }}")
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func theSizeOfATextIsKnownBeforeItIsBuilt(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<TestSize.of(60, full: 200) {
      let value = Self.value(Self.count(&generator), &generator)
      let (text, json) = (value.templateText.utf8.count, try value.data().count)
      #expect(value.textSize >= text)
      #expect(value.encodedSize >= json)
      if case .string = value { #expect(value.encodedSize == json + 1) }
    }
    #expect(JSON.double(-.leastNormalMagnitude).encodedSize > 24)
    let long = JSON.decimal(Decimal(sign: .minus, exponent: -127, significand: 1))
    #expect(long.encodedSize >= (try long.data().count))
  }

  /// Values of the request are read in a loop over another value of it.
  @Test(arguments: [
    "query.x0", "text | length", "body.other | get(body.key)", "randomText(10000)",
  ])
  func valuesOfTheRequestInALoopAreCharged(expression: String) throws {
    let query = (0..<500).map { "x\($0)=1" }.joined(separator: "&")
    let list = Array(repeating: "0", count: 20_000).joined(separator: ",")
    let key = String(repeating: "x", count: 20_000)
    let fixture = try TemplateFixture(
      "/?\(query)", body: #"{"list": [\#(list)], "other": {}, "key": "\#(key)"}"#)
    let template = "{{#each body.list}}{{#if \(expression)}}{{/if}}{{/each}}"
    var rendering = fixture.rendering
    _ = try? TemplateText(template).render(&rendering)
    #expect(TemplateWork.limit - rendering.work.remaining >= 20_000 * 500)
  }

  @Test func aLongTextIsNoNumber() throws {
    let long = String(repeating: "7", count: JSON.maximumNumberLength)
    let fixture = try TemplateFixture(body: #"{"a": "\#(long)", "b": "\#(long)7"}"#)
    #expect(try fixture.text("{{ body.a > 1 }} {{ body.b > 1 }}") == "true false")
    #expect(try fixture.text("{{ body.b | number | default('none') }}") == "none")
  }

  @Test func theNamesOfCountersAreBounded() throws {
    let long = String(repeating: "x", count: 1_025)
    let fixture = try TemplateFixture(body: #"{"a": "\#(long)"}"#)
    #expect(try fixture.text("{{ counter(body.a) }} {{ counter(body.a) }}") == "1 1")
    #expect(try fixture.text("{{ counter('a') }} {{ counter('a') }}") == "1 2")
  }

  #if os(Linux) || os(macOS)
    /// The memory is that of a process in which each of the requests has 1 MB or less.
    @Test func theMemoryForAnyRequestIsBounded() async throws {
      let end = try await ChildProcess(worker: "hostile-requests").end
      #expect(end.status == .exited(0), "\(end.errors.suffix(300))")
      #expect(end.lines.count > 10)
      for line in end.lines {
        let kibibytes = try #require(line.split(separator: " ").last.flatMap { Int($0) })
        // The sanitizer needs several times the memory.
        #expect(
          thread_sanitizer_is_on() || kibibytes <= 4 * TemplateWork.limit >> 10, "\(line)")
      }
    }
  #endif
}
