import Foundation

@testable import Networking

extension FuzzTarget {
  /// The targets of redirects.
  ///
  /// The first line of the input is the URL of a request, each other line the `Location` of a
  /// response.
  static let redirects = FuzzTarget("redirects", maximumLength: 1_024) { input in
    let lines = input.lines
    guard let url = URL(string: lines[0]), ["http", "https"].contains(url.scheme?.lowercased()),
      Origin(url) != nil
    else { return }
    Growth.checkLinear(input) { bytes in
      let location = String(decoding: bytes, as: UTF8.self)
      let request = HTTPRequest(url: url)
      let head = HTTPResponseHead(status: 302, headers: ["Location": location])
      _ = try? Redirection.next(
        after: Response(head: head, request: request), to: request, allowsDowngrade: false)
    }
    var choices = input.choices
    for location in lines.dropFirst() {
      let method: HTTPMethod = choices.flips() ? .post : .get
      let request = HTTPRequest(
        method: method, url: url,
        headers: [
          "Authorization": "Bearer abc123", "X-Api-Key": "abc123", "Accept": "text/html",
          "Content-Type": "text/plain", "Host": "a.test",
        ],
        body: method == .post ? .data(Data("body".utf8)) : .none)
      let status = [301, 302, 303, 307, 308][choices.number(below: 5)]
      let response = Response(
        head: HTTPResponseHead(status: status, headers: ["Location": location]), request: request)
      let allowsDowngrade = choices.flips()
      do {
        let next = try Redirection.next(
          after: response, to: request, allowsDowngrade: allowsDowngrade)
        check(
          unwrap(next, "a redirect has a next request"), request, status, location, allowsDowngrade)
      } catch {
        let code = (error as? NetworkError)?.code
        expect(code == .redirectRefused, "a redirect is refused: \(error)")
      }
    }
  }

  private static func check(
    _ next: HTTPRequest, _ request: HTTPRequest, _ status: Int, _ location: String,
    _ allowsDowngrade: Bool
  ) {
    let place = "\(next.url) of \(location) on \(request.url)"
    let (origin, before) = (Origin(next.url), Origin(request.url))
    expect(["http", "https"].contains(origin?.scheme), "the scheme is http or https: \(place)")
    expect(
      allowsDowngrade || before?.scheme != "https" || origin?.scheme == "https",
      "there is no downgrade: \(place)")
    expect(next.url.host?.isEmpty == false, "the target has a host: \(place)")
    let text = next.url.absoluteString
    expect(URL(string: text)?.absoluteString == text, "the target is a URL: \(place)")
    expect(
      text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "the target is printable ASCII: \(place)")
    for name in ["Authorization", "X-Api-Key"] {
      let isKept = next.headers.contains(name)
      expect(isKept == (origin == before), "\(name) is sent to its origin only: \(place)")
    }
    expect(!next.headers.contains("Host"), "the transport sets the host: \(place)")
    let keepsBody = request.method == .get || [307, 308].contains(status)
    expect(
      next.method == (keepsBody ? request.method : .get), "the method after \(status): \(place)")
    if request.method == .post {
      expect(
        next.headers.contains("Content-Type") == keepsBody && (next.body == .none) == !keepsBody,
        "a body is dropped with its fields: \(place)")
    }
  }
}
