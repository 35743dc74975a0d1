import CatenaHTTPTypes
import Foundation
import HTTPTypes
import Mocking
import Testing

import struct Networking.HTTPRequest

struct ConversionTests {
  @Test func requestIsTheSameAfterBothWays() throws {
    let url = try #require(URL(string: "https://api.example.com:8443/v1/a%2Fb?q=1%202"))
    let request = HTTPRequest(
      method: .patch, url: url, headers: ["Accept": "text/plain", "X-A": "1", "x-a": "2"])
    let other = try HTTPTypes.HTTPRequest(request)
    #expect(other.method == .patch)
    #expect(other.scheme == "https")
    #expect(other.authority == "api.example.com:8443")
    #expect(other.path == "/v1/a%2Fb?q=1%202")
    #expect(other.headerFields[values: .init("X-A")!] == ["1", "2"])
    #expect(try HTTPRequest(other) == request)
  }

  @Test func fieldsKeepTheirOrderAndSpelling() throws {
    let headers: HTTPHeaders = ["b": "2", "A": "1", "B": "3"]
    let fields = try HTTPFields(headers)
    #expect(fields.map(\.name.rawName) == ["b", "A", "B"])
    #expect(HTTPHeaders(fields) == headers)
  }

  @Test func cookieFieldsBecomeOne() {
    var fields = HTTPFields()
    fields.append(HTTPField(name: .cookie, value: "a=1"))
    fields.append(HTTPField(name: .accept, value: "*/*"))
    fields.append(HTTPField(name: .cookie, value: "b=2"))
    #expect(HTTPHeaders(fields).fields.map(\.value) == ["a=1; b=2", "*/*"])
  }

  @Test(arguments: [
    ("a b", "1"), ("", "1"), ("X-A", "1\r\nX-B: 2"), ("X-A", "\u{0}"), ("X-A", "\u{7F}"),
  ])
  func fieldThatCannotBeSentIsAnError(name: String, value: String) {
    #expect { try HTTPFields([name: value]) } throws: { error in
      (error as? NetworkError)?.code == .invalidHeader
    }
  }

  @Test func whiteSpaceAroundAValueIsRemoved() throws {
    #expect(try HTTPFields(["X-A": " \t1 2\t "]).first?.value == "1 2")
    #expect(try HTTPFields(["X-A": "  "]).first?.value == "")
  }

  @Test func methodIsCheckedInOneDirection() throws {
    #expect(HTTPMethod(HTTPTypes.HTTPRequest.Method("BREW")!).rawValue == "BREW")
    #expect(try HTTPTypes.HTTPRequest.Method(.put) == .put)
    #expect { try HTTPTypes.HTTPRequest.Method(HTTPMethod(rawValue: "A B")) } throws: { error in
      (error as? NetworkError)?.code == .invalidMethod
    }
  }

  @Test func requestWithoutAURLIsAnError() {
    let requests = [
      HTTPTypes.HTTPRequest(method: .get, scheme: "https", authority: nil, path: "/boards"),
      HTTPTypes.HTTPRequest(method: .options, scheme: "https", authority: "a.test", path: "*"),
      HTTPTypes.HTTPRequest(method: .get, scheme: "https", authority: "a.test", path: "/a b"),
      HTTPTypes.HTTPRequest(method: .get, scheme: "https", authority: "a.test", path: "/%zz%41"),
    ]
    for request in requests {
      #expect { try HTTPRequest(request) } throws: { error in
        (error as? NetworkError)?.code == .invalidURL
      }
    }
  }

  @Test func fieldsOfTheConnectionAreLeftOut() throws {
    let request = HTTPTypes.HTTPRequest(
      method: .get, scheme: "https", authority: "a.test", path: "/",
      headerFields: [
        .connection: "close, X-Own", .init("X-Own")!: "1", .contentLength: "3", .init("Host")!: "b",
        .transferEncoding: "chunked", .accept: "*/*",
      ])
    #expect(try HTTPRequest(request).headers == ["Accept": "*/*"])
    #expect(Request(request).headers == ["Accept": "*/*"])
  }

  @Test func responseIsTheSameAfterBothWays() throws {
    let head = HTTPResponseHead(
      status: 207, version: "2", headers: ["Set-Cookie": "a=1", "set-cookie": "b=2"])
    let response = try HTTPResponse(head)
    #expect(response.status.code == 207)
    #expect(HTTPResponseHead(response, version: "2") == head)
  }

  @Test func decodedBodyHasNoContentCoding() throws {
    let request = HTTPRequest(url: ("https://a.test" as BaseURL).url)
    let head = HTTPResponseHead(
      status: 200, headers: ["Content-Encoding": "gzip", "Content-Length": "23", "ETag": "a"])
    let response = Response(head: head, data: Data("kite".utf8), request: request)
    #expect(try HTTPResponse(forwarding: response).headerFields.map(\.name.rawName) == ["ETag"])
    #expect(try HTTPResponse(head).headerFields.count == 3)
  }

  @Test(arguments: [-1, 0, 99, 1_000]) func statusHasThreeDigits(status: Int) {
    #expect { try HTTPResponse(HTTPResponseHead(status: status)) } throws: { error in
      (error as? NetworkError)?.code == .malformedResponse
    }
  }

  @Test func requestIsSentByAClient() async throws {
    let server = try MockServer {
      Route(.post, "/boards", .text("made").header("Connection", "close").header("X-A", "1"))
    }
    let client = Networking<Request>(baseURL: server.url)
    let head = HTTPTypes.HTTPRequest(
      method: .post, scheme: nil, authority: nil, path: "/boards?a=1",
      headerFields: [.contentType: "text/plain", .contentLength: "99"])
    let response = try await client.request(Request(head, payload: .data(Data("kite".utf8)))).value
    let forwarded = try HTTPResponse(forwarding: response)
    #expect(forwarded.status == .ok)
    #expect(forwarded.headerFields[.init("X-A")!] == "1")
    #expect(forwarded.headerFields[.contentLength] == nil)
    #expect(forwarded.headerFields[.connection] == nil)
    let received = try #require(server.journal.entries.first).request
    #expect(received.target == "/boards?a=1")
    #expect(received.text == "kite")
    #expect(received.headers["Content-Type"] == "text/plain")
  }

  @Test func absoluteRequestIsSentToItsAuthority() async throws {
    let transport = MockTransport { Route(.get, "/boards", .text("ok")) }
    let client = Networking<Request>(
      baseURL: URL(string: "https://api.example.com/v1"), transport: transport)
    let head = HTTPTypes.HTTPRequest(
      method: .get, scheme: "https", authority: "other.example.org", path: "/boards")
    let response = try await client.request(Request(head)).value
    #expect(response.url.absoluteString == "https://other.example.org/boards")
  }
}
