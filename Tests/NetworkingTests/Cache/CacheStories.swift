import Foundation
import Mocking
import Networking

extension CacheStory {
  private static func date(_ seconds: Double) -> String {
    HTTPDateText.text(CacheFixture.start + seconds)
  }

  private static let etag: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=10"]

  /// Freshness and age.
  ///
  /// Source: RFC 9111 section 4.2.
  static let freshness: [CacheStory] = [
    CacheStory(
      "max-age is the lifetime",
      [
        .sends(reply: ["Cache-Control": "max-age=10"]), .hits(after: 9, age: 9),
        .sends(after: 1, reply: ["Cache-Control": "max-age=10"], body: "two"),
        .hits(body: "two", age: 0),
      ]),
    CacheStory(
      "Expires is the lifetime after Date",
      [
        .sends(reply: ["Expires": date(20)]), .hits(after: 19),
        .sends(after: 1, reply: [:], body: "two"),
      ]),
    CacheStory(
      "max-age overrides Expires",
      [
        .sends(reply: ["Expires": date(0), "Cache-Control": "max-age=10"]), .hits(after: 9),
      ]),
    CacheStory(
      "an invalid Expires is in the past",
      [
        .sends(reply: ["Expires": "0", "Last-Modified": date(-1_000)]),
        .revalidates(sent: ["If-Modified-Since": date(-1_000)]),
      ]),
    CacheStory(
      "s-maxage is for shared caches",
      [
        .sends(reply: ["Cache-Control": "max-age=10, s-maxage=1"]), .hits(after: 9),
      ]),
    CacheStory(
      "a tenth of the time since Last-Modified is the lifetime without another",
      [
        .sends(reply: ["Last-Modified": date(-1_000)]), .hits(after: 99),
        .revalidates(after: 1, reply: ["Last-Modified": date(-1_000)]),
      ]),
    CacheStory(
      "the heuristic lifetime is at most a week",
      [
        .sends(reply: ["Last-Modified": date(-1e9)]), .hits(after: 7 * 86_400 - 1),
        .revalidates(after: 1),
      ]),
    CacheStory(
      "a response without freshness and validators is requested again",
      [
        .sends(reply: [:], sent: ["If-None-Match": nil]),
        .sends(reply: [:], sent: ["If-None-Match": nil, "If-Modified-Since": nil]),
      ]),
    CacheStory(
      "the caller's lifetime is for servers that declare none",
      [
        .sends(reply: [:]), .hits(after: 29),
        .sends(after: 1, reply: ["Cache-Control": "max-age=5"]),
        .sends(after: 5, reply: [:]),
        .sends(
          Request.get("/b", .cache(lifetime: .seconds(5))), reply: [:]),
        .sends(after: 5, Request.get("/b", .cache(lifetime: .seconds(5))), reply: [:]),
      ]
    ) { $0.caching.lifetime = .seconds(30) },
    CacheStory(
      "Age counts against the lifetime",
      [
        .sends(reply: ["Cache-Control": "max-age=10", "Age": "4"]),
        .hits(after: 5, age: 9, headers: ["Age": "9"]),
        .sends(after: 1, reply: [:]),
      ]),
    CacheStory(
      "an old Date counts against the lifetime",
      [
        .sends(reply: ["Cache-Control": "max-age=10", "Date": date(-6)]), .hits(after: 3, age: 9),
        .sends(after: 1, reply: [:]),
      ]),
    CacheStory(
      "a Date in the future does not lengthen the lifetime",
      [
        .sends(reply: ["Cache-Control": "max-age=10", "Date": date(1_000)]), .hits(after: 9),
        .sends(after: 1, reply: [:]),
      ]),
    CacheStory(
      "an invalid Age is ignored, and of several the first counts",
      [
        .sends(reply: ["Cache-Control": "max-age=10", "Age": "soon"]), .hits(after: 9),
        .sends(Request.get("/b"), reply: ["Cache-Control": "max-age=10", "Age": "3, 9"]),
        .hits(Request.get("/b"), age: 3),
      ]),
    CacheStory(
      "a response of a clock that was set back is validated",
      [.sends(reply: etag), .revalidates(after: -3_600)]),
  ]

  /// Directives of responses.
  ///
  /// Source: RFC 9111 section 5.2.2; RFC 5861; RFC 8246.
  static let responseDirectives: [CacheStory] = [
    CacheStory(
      "no-store is not stored",
      [
        .sends(reply: ["Cache-Control": "max-age=10, no-store"]),
        .sends(reply: ["Cache-Control": "max-age=10"], body: "two"), .hits(body: "two"),
      ]),
    CacheStory(
      "no-cache is validated before each use",
      [
        .sends(reply: ["Cache-Control": "max-age=10, no-cache", "ETag": "\"1\""]),
        .revalidates(sent: ["If-None-Match": "\"1\""]), .revalidates(),
      ]),
    CacheStory(
      "no-cache with names removes these fields",
      [
        .sends(
          reply: [
            "Cache-Control": "max-age=10, no-cache=\"X-Once, X-Twice\"", "X-Once": "1",
            "X-Twice": "2", "X-Kept": "3",
          ], headers: ["X-Once": "1"]),
        .hits(headers: ["X-Once": nil, "X-Twice": nil, "X-Kept": "3"]),
      ]),
    CacheStory(
      "no-cache with an invalid name is for the whole response",
      [
        .sends(reply: ["Cache-Control": "max-age=10, no-cache=\"a b\"", "ETag": "\"1\""]),
        .revalidates(),
      ]),
    CacheStory(
      "private and public are stored",
      [
        .sends(reply: ["Cache-Control": "private, max-age=10"]), .hits(),
        .sends(Request.get("/b"), reply: ["Cache-Control": "public, max-age=10"]),
        .hits(Request.get("/b")),
      ]),
    CacheStory(
      "must-revalidate forbids a stale response",
      [
        .sends(reply: ["Cache-Control": "max-age=10, must-revalidate", "ETag": "\"1\""]),
        .hits(after: 9, .get(control: "max-stale")),
        .revalidates(after: 10, .get(control: "max-stale")),
      ]),
    CacheStory(
      "immutable prevents a validation by policy while the response is fresh",
      [
        .sends(reply: ["Cache-Control": "max-age=10, immutable", "ETag": "\"1\""]),
        .hits(Request.get("/a", .cache(.revalidate))),
        .revalidates(after: 10, Request.get("/a", .cache(.revalidate))),
      ]),
    CacheStory(
      "must-understand overrides no-store for a known status",
      [
        .sends(reply: ["Cache-Control": "max-age=10, no-store, must-understand"]), .hits(),
      ]),
    CacheStory(
      "must-understand forbids to store an unknown status",
      [
        .sends(reply: ["Cache-Control": "max-age=10, must-understand"], status: 299),
        .sends(reply: [:], status: 299),
      ]),
    CacheStory(
      "stale-if-error allows a stale response instead of a 503",
      [
        .sends(reply: ["Cache-Control": "max-age=10, stale-if-error=60", "ETag": "\"1\""]),
        Step(after: 70, reply: .init(status: 503), source: .stale(.error)),
        Step(after: 1, reply: .init(status: 503, body: "no"), status: 503, body: "no"),
      ]),
    CacheStory(
      "stale-if-error does not allow it with must-revalidate",
      [
        .sends(
          reply: [
            "Cache-Control": "max-age=1, stale-if-error=60, must-revalidate",
            "ETag": "\"1\"",
          ]),
        Step(after: 2, reply: .init(status: 500, body: "no"), status: 500, body: "no"),
      ]),
    CacheStory(
      "stale-if-error allows a stale response after a lost connection",
      [
        .sends(reply: ["Cache-Control": "max-age=1, stale-if-error=60"]),
        Step(after: 2, reply: .init(fault: .reset), source: .stale(.offline)),
        Step(after: 61, reply: .init(fault: .reset), error: .connectionLost),
      ]),
    CacheStory(
      "an invalid max-age is 0",
      [
        .sends(reply: ["Cache-Control": "max-age=ten", "ETag": "\"1\""]), .revalidates(),
      ]),
    CacheStory(
      "of two lifetimes the shorter one counts",
      [
        .sends(reply: ["Cache-Control": "max-age=100, max-age=10"]), .hits(after: 9),
        .sends(after: 1, reply: [:]),
      ]),
    CacheStory(
      "directives in several lines count together",
      [
        .sends(
          reply: HTTPHeaders([
            .init(name: "Cache-Control", value: "max-age=10"),
            .init(name: "Cache-Control", value: "no-store"),
          ])), .sends(reply: [:]),
      ]),
    CacheStory(
      "case, quotes and spaces do not matter",
      [
        .sends(reply: ["Cache-Control": " MAX-AGE = \"10\" ,, foo=\"a, no-store\" "]),
        .hits(after: 9), .sends(after: 1, reply: [:]),
      ]),
    CacheStory(
      "a huge max-age is a long one",
      [
        .sends(reply: ["Cache-Control": "max-age=99999999999999999999"]),
        .hits(after: 86_400 * 3_650),
      ]),
  ]

  /// Directives of requests.
  ///
  /// Source: RFC 9111 sections 5.2.1 and 5.4.
  static let requestDirectives: [CacheStory] = [
    CacheStory(
      "max-age limits the age",
      [
        .sends(reply: ["Cache-Control": "max-age=100", "ETag": "\"1\""]),
        .hits(after: 5, .get(control: "max-age=5")),
        .revalidates(after: 1, .get(control: "max-age=5")),
      ]),
    CacheStory(
      "max-age=0 validates",
      [.sends(reply: etag), .revalidates(.get(control: "max-age=0"))]),
    CacheStory(
      "max-stale accepts a stale response",
      [
        .sends(reply: etag),
        .hits(after: 15, .get(control: "max-stale=5"), source: .stale(.allowed)),
        .revalidates(after: 1, .get(control: "max-stale=5")),
        .hits(after: 1_000, .get(control: "max-stale"), source: .stale(.allowed)),
      ]),
    CacheStory(
      "an invalid max-stale accepts none",
      [.sends(reply: etag), .revalidates(after: 11, .get(control: "max-stale=x"))]),
    CacheStory(
      "min-fresh requires a rest of the lifetime",
      [
        .sends(reply: etag), .hits(after: 5, .get(control: "min-fresh=5")),
        .revalidates(after: 1, .get(control: "min-fresh=5")),
      ]),
    CacheStory(
      "no-cache validates",
      [.sends(reply: etag), .revalidates(.get(control: "no-cache"))]),
    CacheStory(
      "Pragma: no-cache validates without Cache-Control",
      [
        .sends(reply: etag), .revalidates(Request.get("/a", headers: ["Pragma": "no-cache"])),
        .hits(.get(control: "max-age=100", ["Pragma": "no-cache"])),
      ]),
    CacheStory(
      "no-store does not store the response",
      [
        .sends(.get(control: "no-store"), reply: ["Cache-Control": "max-age=10"]),
        .sends(reply: [:]),
      ]),
    CacheStory(
      "only-if-cached is a 504 without a stored response",
      [
        .hits(.get(control: "only-if-cached"), status: 504, body: ""),
        .sends(reply: etag), .hits(after: 9, .get(control: "only-if-cached")),
        .hits(after: 1, .get(control: "only-if-cached"), status: 504, body: ""),
      ]),
    CacheStory(
      "stale-if-error of a request allows a stale response",
      [
        .sends(reply: etag),
        Step(
          after: 20, request: .get(control: "stale-if-error=60"), reply: .init(status: 502),
          source: .stale(.error)),
      ]),
    CacheStory(
      "a conditional or partial request of the caller is not handled",
      [
        .sends(reply: etag),
        Step(
          request: .get("/a", headers: ["If-None-Match": "\"1\""]),
          reply: .init(status: 304), status: 304, body: "", sent: ["If-None-Match": "\"1\""]),
        .sends(
          Request.get("/a", headers: ["Range": "bytes=0-0"]), reply: etag, status: 206, body: "o"),
        .hits(),
      ]),
  ]

  /// Statuses, methods, `Vary`, and invalidation.
  ///
  /// Source: RFC 9111 sections 3, 4.1 and 4.4.
  static let storing: [CacheStory] = [
    CacheStory(
      "an error with a lifetime is stored, one without is not",
      [
        .sends(reply: ["Cache-Control": "max-age=10"], status: 500), .hits(status: 500),
        .sends(Request.get("/b"), reply: ["Last-Modified": date(-1_000)], status: 500),
        .sends(Request.get("/b"), reply: [:], status: 500),
        .sends(Request.get("/c"), reply: ["Last-Modified": date(-1_000)], status: 404),
        .hits(Request.get("/c"), status: 404),
      ]),
    CacheStory(
      "a partial response is not stored",
      [
        .sends(
          reply: ["Cache-Control": "max-age=10", "Content-Range": "bytes 0-2/9"], status: 206),
        .sends(reply: [:]),
      ]),
    CacheStory(
      "Vary selects by the values of the request",
      [
        .sends(
          Request.get("/a", headers: ["Accept-Language": "de"]),
          reply: ["Cache-Control": "max-age=10", "Vary": "Accept-Language"], body: "eins"),
        .sends(
          Request.get("/a", headers: ["Accept-Language": "fr"]),
          reply: ["Cache-Control": "max-age=10", "Vary": "accept-language"], body: "un"),
        .hits(Request.get("/a", headers: ["Accept-Language": "de"]), body: "eins"),
        .hits(Request.get("/a", headers: ["Accept-Language": "fr"]), body: "un"),
      ]),
    CacheStory(
      "Vary compares normalised values",
      [
        .sends(
          Request.get("/a", headers: ["Accept": "text/html,  text/PLAIN"]),
          reply: ["Cache-Control": "max-age=10", "Vary": "Accept"]),
        .hits(Request.get("/a", headers: ["Accept": "text/plain,text/html"])),
        .sends(Request.get("/a", headers: ["Accept": "text/html"]), reply: [:]),
      ]),
    CacheStory(
      "Vary: * is never used again",
      [.sends(reply: ["Cache-Control": "max-age=10", "Vary": "*"]), .sends(reply: [:])]),
    CacheStory(
      "credentials have responses of their own",
      [
        .sends(
          Request.get("/a", headers: ["Authorization": "Bearer one"]),
          reply: ["Cache-Control": "max-age=10"], body: "one"),
        .sends(
          Request.get("/a", headers: ["Authorization": "Bearer two"]),
          reply: ["Cache-Control": "max-age=10"], body: "two"),
        .hits(Request.get("/a", headers: ["Authorization": "Bearer one"]), body: "one"),
        .sends(reply: [:], body: "none"),
      ]),
    CacheStory(
      "API keys have responses of their own, beside the credentials",
      [
        .sends(
          Request.get("/a", headers: ["X-Api-Key": "one", "Authorization": "Bearer a"]),
          reply: ["Cache-Control": "max-age=10"], body: "one"),
        .sends(
          Request.get("/a", headers: ["X-Api-Key": "two", "Authorization": "Bearer a"]),
          reply: ["Cache-Control": "max-age=10"], body: "two"),
        .hits(
          Request.get("/a", headers: ["x-api-key": "one", "Authorization": "Bearer a"]),
          body: "one"),
        .sends(
          Request.get("/a", headers: ["X-Api-Key": "one"]),
          reply: ["Cache-Control": "max-age=10"], body: "no user"),
        .hits(Request.get("/a", headers: ["X-Api-Key": "one"]), body: "no user"),
        .sends(reply: [:], body: "none"),
      ]),
    CacheStory(
      "Set-Cookie and fields of the connection are not repeated",
      [
        .sends(
          reply: ["Cache-Control": "max-age=10", "Set-Cookie": "a=b", "X-Kept": "1"]),
        .hits(headers: ["Set-Cookie": nil, "X-Kept": "1"]),
      ]),
    CacheStory(
      "an unsafe request removes the responses of its URL",
      [
        .sends(reply: ["Cache-Control": "max-age=10"]), .hits(),
        .sends(Request.put("/a"), reply: [:], status: 204, body: ""),
        .sends(reply: ["Cache-Control": "max-age=10"], body: "two"),
        .sends(Request.post("/a"), reply: [:], status: 500), .hits(body: "two"),
      ]),
    CacheStory(
      "Location and Content-Location of the same origin are removed",
      [
        .sends(reply: ["Cache-Control": "max-age=10"]),
        .sends(Request.get("/b"), reply: ["Cache-Control": "max-age=10"]),
        .sends(
          Request.post("/c"), reply: ["Location": "/a", "Content-Location": "b"], status: 201),
        .sends(reply: ["Cache-Control": "max-age=10"]),
        .sends(Request.get("/b"), reply: [:]),
        .sends(
          Request.post("/c"), reply: ["Location": "http://other.test/a"], status: 201), .hits(),
      ]),
    CacheStory(
      "HEAD uses a stored GET, and removes it if it has changed",
      [
        .sends(reply: etag), .hits(Request.head("/a"), body: ""),
        Step(
          after: 11, request: .head("/a"),
          reply: .init(headers: ["ETag": "\"1\"", "Cache-Control": "max-age=100"]), body: ""),
        .hits(after: 90),
        Step(
          after: 11, request: .head("/a"), reply: .init(headers: ["ETag": "\"2\""]), body: ""),
        .sends(reply: [:], sent: ["If-None-Match": nil]),
      ]),
    CacheStory(
      "each query has its own response",
      [
        Step(
          request: .get("/a"),
          reply: .init(
            status: 200, headers: ["Cache-Control": "max-age=10"], body: "one")),
        .sends(Request.get("/b?x=1"), reply: ["Cache-Control": "max-age=10"], body: "query"),
        .hits(Request.get("/b?x=1"), body: "query"), .sends(Request.get("/b?x=2"), reply: [:]),
      ]),
  ]

  /// Validation.
  ///
  /// Source: RFC 9111 sections 3.2 and 4.3.
  static let validation: [CacheStory] = [
    CacheStory(
      "a strong tag and a date are sent, and a 304 is a 200 for the caller",
      [
        .sends(reply: ["ETag": "\"1\"", "Last-Modified": date(-10), "Cache-Control": "max-age=1"]
        ),
        .revalidates(
          after: 2, sent: ["If-None-Match": "\"1\"", "If-Modified-Since": date(-10)],
          headers: ["ETag": "\"1\"", "Content-Length": "3"]),
      ]),
    CacheStory(
      "a weak tag is confirmed by a weak or a strong one",
      [
        .sends(reply: ["ETag": "W/\"1\""]),
        .revalidates(reply: ["ETag": "W/\"1\""], sent: ["If-None-Match": "W/\"1\""]),
        .revalidates(reply: ["ETag": "\"1\""]),
      ]),
    CacheStory(
      "the fields of a 304 replace the stored ones",
      [
        .sends(
          reply: ["ETag": "\"1\"", "Cache-Control": "max-age=1", "X-Old": "1", "X-Kept": "1"]),
        .revalidates(
          after: 2,
          reply: [
            "Cache-Control": "max-age=100", "X-Old": "2", "X-New": "3",
            "Content-Encoding": "gzip",
          ],
          headers: ["X-Old": "2", "X-New": "3", "X-Kept": "1", "Content-Encoding": nil]),
        .hits(after: 99, age: 99, headers: ["X-Old": "2"]),
      ]),
    CacheStory(
      "a 304 that needs a validation for a field takes the stored one away, too",
      [
        .sends(reply: ["ETag": "\"1\"", "Cache-Control": "max-age=10", "X-Token": "1"]),
        .revalidates(
          after: 11, reply: ["Cache-Control": "max-age=100, no-cache=\"X-Token\""],
          headers: ["X-Token": nil]),
        .hits(headers: ["X-Token": nil]),
      ]),
    CacheStory(
      "a request with no-store leaves the stored response as it was",
      [
        .sends(reply: etag),
        .revalidates(
          after: 11, .get(control: "no-store"), reply: ["Cache-Control": "max-age=100"]),
        .revalidates(reply: etag),
      ]),
    CacheStory(
      "a HEAD response with no-store removes the stored response",
      [
        .sends(reply: etag),
        .sends(
          after: 11, .head("/a"), reply: ["ETag": "\"1\"", "Cache-Control": "no-store"],
          body: ""),
        .sends(reply: [:], sent: ["If-None-Match": nil]),
      ]),
    CacheStory(
      "a HEAD request that is sent anyway compares its response with the stored one",
      [
        .sends(reply: ["ETag": "\"1\"", "Cache-Control": "max-age=100"]),
        Step(
          request: .head("/a", .cache(.reload)), reply: .init(headers: ["ETag": "\"1\""]),
          body: ""),
        .hits(),
        Step(
          request: .head("/a", .cache(.reload)), reply: .init(headers: ["ETag": "\"2\""]),
          body: ""),
        .sends(reply: [:], sent: ["If-None-Match": nil]),
      ]),
    CacheStory(
      "a stale response answers HEAD when the server fails",
      [
        .sends(
          reply: ["ETag": "\"1\"", "Cache-Control": "max-age=10, stale-if-error=100"]),
        Step(
          after: 11, request: .head("/a"), reply: .init(status: 503), source: .stale(.error),
          body: ""),
      ]),
    CacheStory(
      "only-if-cached is obeyed with every policy",
      [
        .sends(reply: etag),
        .hits(
          after: 11, .get(control: "only-if-cached").with(.cache(.revalidate)), status: 504,
          body: ""),
        .hits(.get(control: "only-if-cached").with(.cache(.reload)), status: 504, body: ""),
      ]),
    CacheStory(
      "a response that names the fields it varies on comes before one that names none",
      [
        .sends(
          .get("/a", headers: ["Accept-Language": "de"]),
          reply: [
            "Vary": "Accept-Language", "Cache-Control": "max-age=100",
          ], body: "de"),
        .sends(
          after: 1, .get("/a", .cache(.reload)), reply: ["Cache-Control": "max-age=100"],
          body: "en"),
        .hits(.get("/a", headers: ["Accept-Language": "de"]), body: "de"),
        .hits(body: "en"),
      ]),
    CacheStory(
      "a response that varies on very many fields is not stored",
      [
        .sends(
          reply: [
            "Cache-Control": "max-age=100",
            "Vary": (0..<33).map { "X-\($0)" }.joined(separator: ","),
          ]),
        .sends(reply: [:]),
      ]),
    CacheStory(
      "a changed response replaces the stored one",
      [
        .sends(reply: etag),
        .sends(
          after: 11, reply: ["ETag": "\"2\"", "Cache-Control": "max-age=10"],
          body: "two", sent: ["If-None-Match": "\"1\""]),
        .hits(body: "two"),
        .revalidates(after: 11, body: "two", sent: ["If-None-Match": "\"2\""]),
      ]),
    CacheStory(
      "a changed response that must not be stored removes the stored one",
      [
        .sends(reply: etag),
        .sends(after: 11, reply: ["Cache-Control": "no-store"], body: "two"),
        .sends(reply: [:], sent: ["If-None-Match": nil]),
      ]),
    CacheStory(
      "a 304 with a new Vary is for the requests that it names",
      [
        .sends(.get("/a", headers: ["Accept-Language": "de"]), reply: etag),
        .revalidates(
          after: 11, .get("/a", headers: ["Accept-Language": "de"]),
          reply: ["Vary": "Accept-Language", "Cache-Control": "max-age=100"]),
        .hits(.get("/a", headers: ["Accept-Language": "de"])),
        .sends(.get("/a", headers: ["Accept-Language": "en"]), reply: [:], body: "two"),
        .hits(.get("/a", headers: ["Accept-Language": "de"])),
      ]),
    CacheStory(
      "a 304 that varies on everything is the last use of the stored response",
      [
        .sends(reply: etag), .revalidates(after: 11, reply: ["Vary": "*"]),
        .sends(reply: [:], sent: ["If-None-Match": nil]),
      ]),
    CacheStory(
      "a response that is asked for anew and must not be stored removes the stored one",
      [
        .sends(reply: ["Cache-Control": "max-age=100"]),
        .sends(
          .get("/a", .cache(.reload)), reply: ["Cache-Control": "no-store"], body: "two"),
        .sends(reply: [:], body: "three"),
      ]),
    CacheStory(
      "an error of the server does not remove the stored response",
      [
        .sends(reply: ["Cache-Control": "max-age=100"]),
        .sends(.get("/a", .cache(.reload)), reply: [:], status: 503, body: "two"),
        .sends(.get("/a", .cache(.reload)), reply: [:], status: 429, body: "two"),
        .hits(),
      ]),
    CacheStory(
      "the age of the stored response does not survive a 304",
      [
        .sends(reply: ["ETag": "\"1\"", "Cache-Control": "max-age=10", "Age": "10"]),
        .revalidates(), .hits(after: 9, age: 9),
      ]),
  ]

  /// The policies of the caller.
  static let policies: [CacheStory] = [
    CacheStory(
      "reload sends the request, and stores the response",
      [
        .sends(reply: etag),
        .sends(
          Request.get("/a", .cache(.reload)), reply: etag, body: "two",
          sent: ["If-None-Match": nil, "Cache-Control": "no-cache"]), .hits(body: "two"),
      ]),
    CacheStory(
      "revalidate asks the server",
      [
        .sends(reply: etag),
        .revalidates(
          Request.get("/a", .cache(.revalidate)),
          sent: ["If-None-Match": "\"1\"", "Cache-Control": "max-age=0"]),
      ]),
    CacheStory(
      "preferCache uses a stale response, and stores every response",
      [
        .sends(Request.get("/a", .cache(.preferCache)), reply: [:]),
        .hits(after: 1e6, Request.get("/a", .cache(.preferCache)), source: .stale(.allowed)),
        .sends(Request.get("/a"), reply: [:]),
      ]),
    CacheStory(
      "onlyCache never sends the request",
      [
        Step(request: Request.get("/a", .cache(.onlyCache)), error: .notCached),
        .sends(reply: etag), .hits(Request.get("/a", .cache(.onlyCache))),
        .hits(after: 1e6, Request.get("/a", .cache(.onlyCache)), source: .stale(.allowed)),
        Step(request: Request.post("/a", .cache(.onlyCache)), error: .notCached),
      ]),
    CacheStory(
      "noStore neither uses nor stores a response",
      [
        .sends(Request.get("/a", .cache(.noStore)), reply: etag), .sends(reply: etag),
        .sends(Request.get("/a", .cache(.noStore)), reply: etag, body: "two"), .hits(),
      ]),
    CacheStory(
      "the client's policy is for requests without one",
      [
        .sends(reply: [:]), .hits(after: 1e6, source: .stale(.allowed)),
        .sends(Request.get("/a", .cache(.reload)), reply: [:], body: "two"),
      ]
    ) { $0.caching.policy = .preferCache },
    CacheStory(
      "a stale response is served without a network if the client allows it",
      [
        .sends(reply: etag),
        Step(after: 70, reply: .init(fault: .reset), source: .stale(.offline)),
        Step(after: 1, reply: .init(fault: .reset), error: .connectionLost),
      ]
    ) { $0.caching.staleWhenOffline = .seconds(60) },
  ]
}
