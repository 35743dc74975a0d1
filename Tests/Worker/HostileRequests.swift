import Foundation
import Mocking
import MockingResources
import MockingStubs
import Networking
import TestSupport

// Sends requests to mocks that take their sizes from the request.
//
//     hostile-requests
//
// Each line of the output has the name of a case, the status, and the growth of the peak resident memory
// so far in KiB.
enum HostileRequests {
  private struct Case {
    let name: String
    /// The template of the response.
    let template: String
    let body: String
  }

  private static let long = String(repeating: "x", count: 450_000)

  private static let cases: [Case] = {
    let quotes = String(repeating: #"\""#, count: 100_000)
    let digits = Array(repeating: "0", count: 450_000).joined(separator: ",")
    let objects = Array(repeating: #"{"y":1}"#, count: 60_000).joined(separator: ",")
    let texts = #"{"a":"\#(long)","b":"\#(long)"}"#
    // The largest result that is allowed.
    let short = String(repeating: "x", count: 10_000)
    let filters = [
      "upper", "base64", "urlencode", "json | json | json", "split('x')",
      "replace('x', 'yyyyyyyy')",
    ]
    return [
      Case(name: "replace", template: "{{ body.a | replace('x', body.b) }}", body: texts),
      Case(
        name: "allowed", template: "{{ body.a | replace('x', body.a) | first }}",
        body: #"{"a":"\#(short)"}"#),
      Case(name: "search", template: "{{ body.a | contains(body.b) }}", body: texts),
      Case(
        name: "join", template: "{{ body.l | join(body.a) | length }}",
        body: #"{"a":"\#(long)","l":[\#(digits.prefix(450_000))0]}"#),
      Case(
        name: "quotes", template: "{{ body.a \(String(repeating: "| json ", count: 4))| length }}",
        body: #"{"a":"\#(quotes)"}"#),
      Case(
        name: "list", template: "{{ body | reverse | sort | unique | json }}", body: "[\(digits)]"),
      Case(
        name: "members", template: "{{ body.l | map(body.a) | length }}",
        body: #"{"a":"\#(long)","l":[\#(objects)]}"#),
      Case(
        name: "output", template: "{{#each body.l}}{{ body.a }}{{/each}}",
        body: #"{"a":"\#(long)","l":[\#(objects)]}"#),
    ]
      + filters.map {
        Case(name: $0, template: "{{ body.a | \($0) | length }}", body: #"{"a":"\#(long)"}"#)
      }
  }()

  static func run(_ arguments: [String]) async throws {
    var routes = Resource("/items").routes()
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let stubs: [JSON] = cases.enumerated().map { index, test in
      ["method": "POST", "path": .string("/\(index)"), "text": .string(test.template)]
    }
    let file = folder.appending(path: "stubs.json")
    try JSON.dictionary(["routes": .array(stubs)]).data().write(to: file)
    routes += try StubFile(contentsOf: file).routes
    let transport = MockTransport(routes: routes)

    func send(
      _ name: String, _ method: HTTPMethod, _ path: String, _ body: String, _ type: String
    ) async {
      let record = await transport.perform(
        HTTPRequest(
          method: method, url: URL(string: "http://a\(path)") ?? URL(filePath: "/"),
          headers: ["Content-Type": type], body: .data(Data(body.utf8))))
      log("\(name) \(record.head?.status ?? 0) \(ProcessResources.peakKibibytes - before)")
    }
    // A small exchange first, so that memory that every backend needs is not counted.
    let before = ProcessResources.peakKibibytes
    await send("create", .post, "/items", #"{"big":"\#(long)\#(long)"}"#, "application/json")
    let copies = (0..<999).map { #"{"op":"copy","from":"/big","path":"/c\#($0)"}"# }
    await send(
      "patch", .patch, "/items/1", "[\(copies.joined(separator: ","))]",
      "application/json-patch+json")
    for (index, test) in cases.enumerated() {
      await send(test.name, .post, "/\(index)", test.body, "application/json")
    }
  }
}
