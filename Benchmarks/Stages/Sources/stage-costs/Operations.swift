import Foundation

@testable import Networking

/// An operation to measure outside of a pipeline.
struct Operation {
  /// The name in the table.
  let name: String
  /// The limit in microseconds, or `nil`.
  let budget: Double?
  /// The number of runs in a round.
  let count: Int
  /// Runs the operation.
  ///
  /// It receives the number of the run.
  let run: (Int) -> Void

  /// The operations on cookies, on texts with secrets and on a cache on disk.
  static var all: [Operation] {
    [publicSuffix, oneCookie, manyCookies(secure: true), manyCookies(secure: false)] + redactions
      + cacheOnDisk
  }

  /// The redaction of 1 MiB of text, for the pieces of text that take the longest.
  private static var redactions: [Operation] {
    let pieces = [
      "a", "a=1&", "token=b ", "abc=b ", "a:\"", "%3Da", "<a>b", "name:x,", "cookie:a=1;",
      "{\"a\":\"b\"}",
      "token='a\\\":\\\"authorization: Bearer ",
      "value=[ name=password ", "value:[ name:token,", "value={\"a\":[ name=token ",
    ]
    return pieces.flatMap { piece in
      let text = String(repeating: piece, count: (1 << 20) / piece.utf8.count)
      let recording = Redactor(purpose: .recording)
      return [
        operation("text", piece) { Redactor.standard.maskedText(text) },
        operation("recorded text", piece) { recording.maskedContent(text) },
        operation("form", piece) { Redactor.standard.maskedForm(text) },
        operation("URL", piece) { Redactor.standard.maskedURL("/p?" + text) },
        operation("field", piece) { Redactor.standard.maskedFieldValue(text, name: "X-Info") },
      ]
    }
  }

  private static func operation(
    _ kind: String, _ piece: String, _ masked: @escaping () -> String
  ) -> Operation {
    Operation(
      name: "redaction of a \(kind) of \(piece.debugDescription)", budget: 100_000, count: 1
    ) { _ in
      precondition(!masked().isEmpty)
    }
  }

  private static var publicSuffix: Operation {
    let hosts = ["com", "co.uk", "github.io", "c.kobe.jp", "s3.amazonaws.com", "example"].flatMap {
      ["shop.\($0)", "www.shop.\($0)", "a.long.host.name.of.some.service.\($0)"]
    }
    let suffixes = PublicSuffixes.shared
    return Operation(name: "public suffix of a host", budget: 1, count: 4_096) { number in
      precondition(suffixes.registrableName(of: hosts[number % hosts.count]) != nil)
    }
  }

  private static var oneCookie: Operation {
    let (jar, url) = (CookieJar(), url("https://api.example.com/v1/boards"))
    return Operation(name: "cookie received", budget: nil, count: 4_096) { number in
      jar.store(["Set-Cookie": "session=\(number); Path=/; Max-Age=1000; Secure"], from: url)
    }
  }

  /// Returns the most expensive response: each field is for another cookie, the jar is full, and all
  /// its cookies are of the site that sends the response.
  private static func manyCookies(secure: Bool) -> Operation {
    let jar = CookieJar()
    for host in 0..<100 {
      for number in 0..<50 {
        let cookie = "c\(number)=1; Path=/; Secure; Max-Age=\(1000 + number)"
        jar.set(parsing: cookie, from: url("https://h\(host).example.com/"))
      }
    }
    precondition(jar.cookies.count == 3_000)
    let name = "200 cookies received \(secure ? "over https" : "over http"), full jar"
    return Operation(name: name, budget: nil, count: 20) { number in
      let fields = (0..<200).map { index in
        HTTPHeaders.Field(name: "Set-Cookie", value: "c\(index % 50)=\(number); Path=/\(index % 7)")
      }
      let scheme = secure ? "https" : "http"
      jar.store(HTTPHeaders(fields), from: url("\(scheme)://new\(number).example.com/"))
    }
  }

  private static func url(_ text: String) -> URL {
    guard let url = URL(string: text) else { preconditionFailure() }
    return url
  }
}
