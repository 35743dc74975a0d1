import Foundation
import TestGate
import Testing

@testable import Mocking
@testable import MockingStubs

@Suite(.gated)
struct InspectorPageTests {
  private let page = InspectorPage.make(nonce: Array(0..<16))
  private let nonce = "AAECAwQFBgcICQoLDA0ODw=="

  private var text: String { String(decoding: page.body, as: UTF8.self) }

  private func count(of part: String) -> Int { text.components(separatedBy: part).count - 1 }

  @Test func theStyleAndTheScriptHaveTheNonceOfThePolicy() throws {
    let policy = try #require(page.headers["Content-Security-Policy"])
    #expect(policy.contains("default-src 'none'"))
    #expect(policy.contains("script-src 'nonce-\(nonce)'"))
    #expect(policy.contains("style-src 'nonce-\(nonce)'"))
    #expect(count(of: "<style nonce=\"\(nonce)\">") == 1)
    #expect(count(of: "<script type=\"module\" nonce=\"\(nonce)\">") == 1)
    #expect(count(of: nonce) == 2)
  }

  @Test func thePolicyAllowsNeitherOtherOriginsNorInlineCode() throws {
    let policy = try #require(page.headers["Content-Security-Policy"])
    let directives = policy.components(separatedBy: "; ")
    #expect(directives.contains("connect-src 'self'"))
    #expect(directives.contains("img-src data:"))
    #expect(directives.contains("frame-ancestors 'none'"))
    for source in ["unsafe", "http", "*"] { #expect(!policy.contains(source)) }
  }

  /// If this fails, add the member to `responseNames` or `routeNames` in editor.js.
  @Test func theEditorCompletesAllMembersOfStubs() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Examples/MockServer/stubs.schema.json")
    let route = try JSON(parsing: Data(contentsOf: file))["$defs"]["route"]["properties"]
    let start = try #require(text.range(of: "const responseNames = ["))
    let end = try #require(text.range(of: "const whenNames"))
    let names = text[start.upperBound..<end.lowerBound].matches(of: /'([A-Za-z0-9]+)'/)
    let known = route.dictionary.map { Set($0.keys) }
    #expect(Set(names.map { String($0.1) }) == known)
  }

  @Test func eachResponseHasANewNonceAndIsNotStored() {
    let policies = (0..<20).map { _ in InspectorPage.make().headers["Content-Security-Policy"] }
    #expect(Set(policies).count == 20)
    #expect(page.headers["Cache-Control"] == "no-store")
  }

  @Test func allPartsAreInThePageOnce() {
    for name in ["nonce", "style", "script", "icon"] { #expect(!text.contains("{\(name)}")) }
    #expect(count(of: "</script>") == 1)
    #expect(count(of: "</style>") == 1)
    #expect(count(of: "connection.open();\n") == 1)
    #expect(text.hasPrefix("<!doctype html>\n"))
    #expect(page.headers["Content-Type"] == "text/html; charset=utf-8")
  }

  @Test func theDetailsHaveTheReasonOfARefusalOfAContract() {
    #expect(text.contains("name === 'Contract-Violation' || name === 'Contract-Problem'"))
  }

  @Test(arguments: [
    "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "createContextualFragment",
    "eval(", "new Function", " style=\"", " onclick=\"", " src=\"", "@import", " url(", "https://",
  ])
  func thePageNeitherParsesDataAsMarkupNorLoadsFiles(part: String) {
    #expect(!text.contains(part))
  }

  @Test func allAddressesAreRelativeToThePage() {
    let calls = text.matches(of: /(?:api\('[A-Z]+', |EventSource\(|href=)['"`]([^'"`]*)/)
    let addresses = calls.map(\.output.1).filter { !$0.hasPrefix("data:") }
    #expect(addresses.count > 10)
    for address in addresses { #expect(!address.hasPrefix("/") && !address.contains("//")) }
  }
}
