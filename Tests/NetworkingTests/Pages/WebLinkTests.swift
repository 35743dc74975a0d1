import Foundation
import Networking
import NetworkingStreams
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct WebLinkTests {
  /// The targets and the first relations of the links of a field.
  @Test(arguments: [
    ("", ""), ("<a>; rel=next", "a next"), ("<a>;rel=\"next\"", "a next"),
    ("  <a> ; rel = \"next\" ", "a next"), ("<a>; REL=Next", "a next"),
    ("<a>; rel=\"prev next\"", "a prev,next"), ("<a>; rel=\" prev\tnext \"", "a prev,next"),
    ("<a>; rel=prev, <b>; rel=next", "a prev|b next"),
    ("<a,b>; rel=x,<c;d>;rel=y", "a,b x|c;d y"),
    ("<a>; title=\"x, <b>; rel=no\"; rel=next", "a next"),
    ("<a>; title=\"say \\\"hi\\\", <b>; rel=no\"; rel=next", "a next"),
    ("<a>; rel=first; rel=second", "a first"), ("<a>", "a "), ("<>; rel=next", " next"),
    (", ,<a>; rel=next,,", "a next"), ("<a>;; ;rel=next", "a next"),
    ("<a> junk; rel=next", "a next"), ("<a>; rel=\"next\" junk, <b>; rel=x", "a next|b x"),
    ("<a>; =x; rel=next", "a next"), ("<a>; rel", "a "), ("<a>; rel=", "a "),
    ("<a", ""), ("a>; rel=next", ""), ("<a>; rel=\"next", "a next"),
    ("<a>; rel=\"next\\", "a next\\"),
    ("< a >; rel=next", "a next"), ("<é>; rel=next", "é next"),
    (
      "<https://api.example.com/items?page=2&q=%2C>; rel=\"next\"; type=\"text/html\"",
      "https://api.example.com/items?page=2&q=%2C next"
    ),
  ])
  func aFieldHasLinks(_ value: String, _ links: String) {
    let parsed = WebLink.parse(value).map {
      "\($0.target) \($0.relations.joined(separator: ","))"
    }
    #expect(parsed.joined(separator: "|") == links)
  }

  @Test func aLinkHasItsParameters() throws {
    let link = try #require(
      WebLink.parse("<a>; rel=next; Title=\"a b\"; title*=UTF-8''x; hreflang=de; hreflang=fr; x")
        .first)
    #expect(link.parameters.map(\.name) == ["rel", "title", "title*", "hreflang", "hreflang", "x"])
    #expect(link["title"] == "a b" && link["title*"] == "UTF-8''x" && link["hreflang"] == "de")
    #expect(link["x"]?.isEmpty == true && link["y"] == nil)
  }

  @Test func aResponseHasTheLinksOfAllFields() {
    let response = Response(
      head: HTTPResponseHead(
        status: 200,
        headers: HTTPHeaders([
          .init(name: "Link", value: "<a>; rel=prev"),
          .init(name: "link", value: "<b>; rel=next, <c>"),
        ])),
      request: HTTPRequest(url: .of("https://api.example.com")))
    #expect(response.links.map(\.target) == ["a", "b", "c"])
  }
}
