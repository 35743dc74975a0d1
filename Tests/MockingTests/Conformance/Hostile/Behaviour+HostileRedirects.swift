#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import TestSupport

  extension Behaviour {
    private static func redirect(
      _ location: String, _ status: Int = 302, _ fields: [String] = []
    ) -> ScriptedServer.Step {
      .respond("\(status) Elsewhere", ["Location: \(location)"] + fields, Data("moved".utf8))
    }

    /// Returns a script that redirects `/hostile` to a location and responds to `/end`.
    private static func script(_ location: String) -> ScriptedServer.Script {
      { request in
        request.target == "/hostile"
          ? [redirect(location)] : [.respond("200 OK", [], Data("end".utf8))]
      }
    }

    private static func row(
      _ name: String, _ location: String, _ outcomes: HostileOutcome...
    ) -> HostileRow {
      var row = HostileRow(name, request: { .get("/hostile") }, script: script(location))
      row.outcomes = outcomes
      return row
    }

    private static let locations: [HostileRow] = [
      row("a location that is a path", "/end", .response(200, "end")),
      row("a location of another scheme", "ftp://127.0.0.1/", .failure(.redirectRefused)),
      row("a location of a file", "file:///etc/passwd", .failure(.redirectRefused)),
      row("a location of JavaScript", "javascript:alert(1)", .failure(.redirectRefused)),
      row("a location without a host", "http://", .failure(.redirectRefused)),
      // As in browsers, any number of slashes stands before a host.
      row("a location with three slashes", "http:///end", .failure(.cannotConnect)),
      row(
        "a location with credentials", "http://a:b@127.0.0.1:1/", .failure(.cannotConnect),
        .failure(.invalidURL), .failure(.redirectRefused)),
      row(
        "a location with a port that is too large", "http://127.0.0.1:99999/",
        .failure(.redirectRefused), .failure(.cannotConnect)),
      row(
        "a location with a negative port", "http://127.0.0.1:-1/", .failure(.redirectRefused),
        .failure(.cannotConnect)),
      row("a location of an IPv6 host without a scheme", "//[::1]:1/", .failure(.cannotConnect)),
      row("a location of an invalid IPv6 host", "http://[::1/", .failure(.redirectRefused)),
      row(
        "a location of slashes", "//", .failure(.redirectRefused), .failure(.cannotConnect),
        .failure(.invalidURL)),
      row(
        "a location with control characters", "http://127.0.0.1:1/\u{1}\u{7F}",
        .failure(.redirectRefused), .failure(.cannotConnect)),
      row(
        "a location in emoji", "http://😀😀😀/", .failure(.cannotConnect), .failure(.redirectRefused)),
      row(
        "a location of 8 KiB", "/" + String(repeating: "a", count: 8 << 10), .response(200, "end")),
      row("a location of 1 MiB", "/" + String(repeating: "a", count: 1 << 20), .malformed),
      row(
        "a location of broken percent-encoding", "/%zz%", .response(200, "end"),
        .failure(.redirectRefused), .failure(.invalidURL)),
    ]

    private static let circles: [HostileRow] = [
      .init("a redirect to itself", .failure(.tooManyRedirects), steps: redirect("/hostile")),
      .init(
        "a redirect to itself in 308", .failure(.tooManyRedirects), steps: redirect("/hostile", 308)
      ),
      .init(
        "a redirect to another spelling of itself", .failure(.tooManyRedirects),
        steps: redirect("#fragment")),
      .init("a circle of two", .failure(.tooManyRedirects), request: { .get("/hostile") }) {
        request in
        [redirect(request.target == "/hostile" ? "/other" : "/hostile")]
      },
      .init("a circle that grows", .failure(.tooManyRedirects), request: { .get("/hostile") }) {
        request in [redirect("\(request.target)/a")]
      },
      .init("a circle with cookies", .failure(.tooManyRedirects), request: { .get("/hostile") }) {
        request in
        [redirect("/hostile", 302, ["Set-Cookie: a\(request.connection)=\(request.fields.count)"])]
      },
      .init("two locations", .response(200, "end"), request: { .get("/hostile") }) { request in
        request.target == "/hostile"
          ? [redirect("/end", 302, ["Location: /other"])]
          : [.respond("200 OK", [], Data(request.target.dropFirst().utf8))]
      },
    ]

    private static let bodies: [HostileRow] = [
      .init("a redirect with an endless body", .response(200, "end"), request: { .get("/hostile") })
      {
        request in
        request.target == "/hostile"
          ? [.text("HTTP/1.1 302 Found\r\nLocation: /end\r\n\r\n"), .flood(1 << 40)]
          : [.respond("200 OK", [], Data("end".utf8))]
      },
      .init("a redirect with a body that is cut short", .lost, request: { .get("/hostile") }) { _ in
        [.text("HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 9\r\n\r\nab"), .close]
      },
      .init("a redirect with a body that is not gzip", .malformed, request: { .get("/hostile") }) {
        _ in
        [.respond("302 Found", ["Location: /end", "Content-Encoding: gzip"], Data("abc".utf8))]
      },
    ]

    static let hostileRedirects = (locations + circles + bodies).map(\.behaviour)
  }
#endif
