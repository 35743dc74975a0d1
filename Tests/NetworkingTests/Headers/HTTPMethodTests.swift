import Networking
import Testing

struct HTTPMethodTests {
  @Test(arguments: [
    (HTTPMethod.get, true, true), (.head, true, true), (.options, true, true),
    (.trace, true, true), (.put, false, true), (.delete, false, true), (.post, false, false),
    (.patch, false, false), (HTTPMethod(rawValue: "get"), false, false),
  ])
  func safetyAndIdempotence(method: HTTPMethod, safe: Bool, idempotent: Bool) {
    #expect(method.isSafe == safe)
    #expect(method.isIdempotent == idempotent)
  }

  @Test func itReadsAsInTheRequestLine() {
    #expect("\(HTTPMethod.patch)" == "PATCH")
  }
}
