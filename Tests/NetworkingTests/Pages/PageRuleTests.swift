import Foundation
import Networking
import NetworkingStreams
import Promises
import TestGate
import TestSupport
import Testing

/// The rules that find the next page of a list.
@Suite(.gated)
struct PageRuleTests {
  private static let base = URL.of("https://api.example.com/v1/")

  /// The URLs and bodies of the requests for all pages.
  private func requests(
    _ rule: PageRule, of request: Request = .get("items"), limit: Int? = nil,
    _ respond: @escaping @Sendable (_ number: Int, HTTPRequest) -> [TransportEvent]
  ) async -> (requests: [String], error: NetworkError?) {
    let numbers = Log<Int>()
    let transport = FakeTransport { request in
      numbers.append(1)
      return respond(numbers.entries.count, request)
    }
    let client = Networking<Request>(transport: transport, configuration: .plain)
    client.baseURL = Self.base
    let result = await Task {
      for try await _ in client.pages(of: request, next: rule, limit: limit) {}
    }.result
    let requests = transport.requests.map { request in
      let prefix = Self.base.absoluteString
      let url = request.url.absoluteString
      let body =
        if case .data(let data) = request.body { String(decoding: data, as: UTF8.self) } else { "" }
      return (url.hasPrefix(prefix) ? String(url.dropFirst(prefix.count)) : url) + body
    }
    return (requests, result.failure(as: NetworkError.self))
  }

  private func page(_ link: String?, _ body: String = "[]") -> [TransportEvent] {
    .response(200, link.map { ["Link": $0] } ?? [:], body)
  }

  @Test func theLinkOfAResponseIsFollowed() async {
    let (requests, error) = await requests(.link, of: .get("items", parameters: ["q": "x"])) {
      number, _ in
      switch number {
      case 1: page("<?q=x&page=2>; rel=\"next\", <?page=9>; rel=last")
      case 2:
        page("</v1/items/3#end>; rel=\"last NEXT\"; anchor=\"\", </v1/other?a=b%20c>; rel=next")
      default: page("<?page=1>; rel=prev")
      }
    }
    #expect(error == nil && requests == ["items?q=x", "items?q=x&page=2", "other?a=b%20c"])
  }

  @Test func anotherRelationCanBeFollowed() async {
    let (requests, _) = await requests(.link(relation: "Older")) { number, _ in
      page(number == 1 ? "<a>; rel=next, <b>; rel=older" : nil)
    }
    #expect(requests == ["items", "b"])
  }

  @Test func aURLOfTheBodyIsFollowed() async {
    let (requests, error) = await requests(.url(at: "links.next")) { number, _ in
      page(
        nil,
        number < 3
          ? "{\"links\": {\"next\": \"items?page=\(number + 1)\"}}"
          : "{\"links\": {\"next\": null}}")
    }
    #expect(error == nil && requests == ["items", "items?page=2", "items?page=3"])
  }

  /// JSON:API writes brackets in its links.
  @Test(arguments: [
    ("/v1/items?page[number]=2&q=R%26D", "items?page%5Bnumber%5D=2&q=R%26D"),
    ("items?q=caf\u{E9}%20x", "items?q=caf%C3%A9%20x"), ("items?q=a b%2Bc", "items?q=a%20b%2Bc"),
    ("?cursor=abc%3D%3D|x", "items?cursor=abc%3D%3D%7Cx"),
    ("items?n=5%&a=%25", "items?n=5%25&a=%25"),
  ])
  func theEscapesOfALinkAreUnchanged(_ link: String, _ next: String) async {
    let inField = await requests(.link) { number, _ in
      page(number == 1 ? "<\(link)>; rel=next" : nil)
    }
    #expect(inField.error == nil && inField.requests == ["items", next])
    let inBody = await requests(.url(at: "links.next")) { number, _ in
      page(nil, "{\"links\": {\"next\": \(number == 1 ? "\"\(link)\"" : "null")}}")
    }
    #expect(inBody.error == nil && inBody.requests == ["items", next])
  }

  @Test func aCursorIsAParameter() async {
    let bodies = [
      "{\"meta\": {\"after\": \"a b\"}}", "{\"meta\": {\"after\": 18}}",
      "{\"meta\": {\"after\": \"\"}}",
    ]
    let (requests, error) = await requests(
      .cursor("after", at: "meta.after"), of: .get("items", parameters: ["q": "x"])
    ) { number, _ in page(nil, bodies[number - 1]) }
    #expect(error == nil)
    #expect(requests == ["items?q=x", "items?q=x&after=a%20b", "items?q=x&after=18"])
  }

  @Test func aCursorCanBeThatOfTheLastItemWithACondition() async {
    let (requests, _) = await requests(
      .cursor("starting_after", at: "data.-1.id", while: "has_more")
    ) {
      number, _ in
      page(
        nil,
        "{\"data\": [{\"id\": \"a\(number)\"}, {\"id\": \"b\(number)\"}], \"has_more\": \(number < 3)}"
      )
    }
    #expect(requests == ["items", "items?starting_after=b1", "items?starting_after=b2"])
  }

  @Test func aCursorCanBeInAHeaderField() async {
    let (requests, _) = await requests(.cursor("page_token", inField: "X-Next")) { number, _ in
      .response(200, number == 1 ? ["X-Next": "t2"] : [:], "[]")
    }
    #expect(requests == ["items", "items?page_token=t2"])
  }

  @Test func theParameterOfAPOSTIsInItsBody() async {
    let (requests, _) = await requests(
      .cursor("after", at: "after"), of: .post("search", parameters: ["q": "x"])
    ) { number, _ in page(nil, number == 1 ? "{\"after\": \"c2\"}" : "{}") }
    #expect(requests == ["search{\"q\":\"x\"}", "search{\"q\":\"x\",\"after\":\"c2\"}"])
  }

  @Test func theLinkOfAPOSTKeepsItsBody() async {
    let (requests, _) = await requests(.link, of: .post("search", parameters: ["q": "x"])) {
      number, _ in
      page(number == 1 ? "<search?page=2>; rel=next" : nil)
    }
    #expect(requests == ["search{\"q\":\"x\"}", "search?page=2{\"q\":\"x\"}"])
  }

  @Test func pagesAreCountedUntilOneIsEmpty() async {
    let (requests, error) = await requests(.number()) { number, _ in
      page(nil, number < 3 ? "[1, 2]" : "[]")
    }
    #expect(error == nil && requests == ["items", "items?page=2", "items?page=3"])
  }

  @Test func aShortPageIsTheLastOne() async {
    let (requests, _) = await requests(
      .number("p", items: "items", size: 2), of: .get("items", parameters: ["p": 5])
    ) { number, _ in page(nil, "{\"items\": \(number < 2 ? "[1, 2]" : "[3]")}") }
    #expect(requests == ["items?p=5", "items?p=6"])
  }

  @Test func pagesAreCountedUpToTheirNumber() async {
    let (requests, _) = await requests(.number("page", first: 0, total: "pages")) { _, _ in
      page(nil, "{\"pages\": 3}")
    }
    #expect(requests == ["items", "items?page=1", "items?page=2"])
    let none = await self.requests(.number(total: "pages")) { _, _ in page(nil, "{\"pages\": 0}") }
    #expect(none.requests == ["items"])
    let absurd = await self.requests(.number(total: "pages")) { _, _ in
      page(nil, "{\"pages\": \(Int.min)}")
    }
    #expect(absurd.requests == ["items"])
  }

  @Test func itemsAreCounted() async {
    let (requests, _) = await requests(
      .offset(items: "items", size: 2), of: .get("items", parameters: ["limit": 2])
    ) { number, _ in page(nil, "{\"items\": \(number < 3 ? "[1, 2]" : "[3]")}") }
    #expect(requests == ["items?limit=2", "items?limit=2&offset=2", "items?limit=2&offset=4"])
    let total = await self.requests(.offset("skip", items: "items", total: "total")) { _, _ in
      page(nil, "{\"items\": [1, 2, 3], \"total\": 6}")
    }
    #expect(total.requests == ["items", "items?skip=3"])
  }

  @Test func aBodyWithoutItemsIsAnError() async {
    let (requests, error) = await requests(.offset(items: "items")) { _, _ in page(nil, "{}") }
    #expect(requests == ["items"] && error?.code == .jsonFailed)
    #expect(error?.reason == "the value at items is not an array")
    let invalid = await self.requests(.number()) { _, _ in page(nil, "<html>") }
    #expect(invalid.error?.code == .jsonFailed)
  }

  @Test func aRuleOfTheCallersSeesThePage() async {
    struct RuleError: Error {}
    let rule = PageRule.custom { page in
      #expect(
        page.response.status == 200 && page.request.method == (page.number < 4 ? .get : .post))
      switch page.number {
      case 1: return .parameters(["from": 50])
      case 2: return .url("/other")
      case 3: return .request(.post("search", parameters: ["x": 1]))
      default: return nil
      }
    }
    let (requests, _) = await requests(rule) { _, _ in page(nil) }
    #expect(
      requests == ["items", "items?from=50", "https://api.example.com/other", "search{\"x\":1}"])
    let failing = PageRule.custom { _ in throw RuleError() }
    let client = Networking<Request>(
      transport: FakeTransport { _ in .response(200) }, configuration: .plain)
    client.baseURL = Self.base
    let result = await client.pages(of: .get("items"), next: failing).all().result
    #expect(result.failure(as: RuleError.self) != nil)
  }

  @Test(arguments: [
    ("<>; rel=next", NetworkError.Code.pageLoop), ("<items>; rel=next", .pageLoop),
    ("<items#a>; rel=next", .pageLoop),
    ("<http://api.example.com/v1/items>; rel=next", .redirectRefused),
    ("<ftp://a/b>; rel=next", .malformedResponse), ("<mailto:a@b>; rel=next", .malformedResponse),
    ("<https://user:pass@api.example.com/>; rel=next", .invalidURL),
    ("<http://[>; rel=next", .malformedResponse),
  ])
  func aLinkThatCannotBeFollowedIsAnError(_ link: String, _ code: NetworkError.Code) async {
    let (requests, error) = await requests(.link) { _, _ in page(link) }
    #expect(requests == ["items"] && error?.code == code)
  }

  @Test func aLoopOfSeveralPagesIsAnError() async {
    for period in 1...5 {
      let (requests, error) = await requests(.link) { number, _ in
        page("<items?page=\(number % period + 1)>; rel=next")
      }
      #expect(error?.code == .pageLoop && requests.count == period + 1)
      let cursors = await self.requests(.cursor("after", at: "after")) { number, _ in
        page(nil, "{\"after\": \(number % period)}")
      }
      #expect(cursors.error?.code == .pageLoop && cursors.requests.count == period + 1)
    }
  }

  @Test func theLimitEndsTheSequence() async {
    for limit in 0...3 {
      let (requests, error) = await requests(.number(), limit: limit) { _, _ in page(nil, "[1]") }
      #expect(error == nil && requests.count == limit)
    }
  }
}
