import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// Secrets in any part of a call do not appear in its events.
@Suite(.gated)
struct EventSecretsTests {
  private let fixture = EventFixture()

  /// Returns the descriptions of the events and their `dump` output.
  private func text(_ events: [NetworkEvent]) -> String {
    var text = ""
    for event in events {
      text += "\(event) \(String(reflecting: event))\n"
      dump(event, to: &text)
    }
    return text
  }

  @Test func noEventContainsASecret() async throws {
    let client = fixture.client {
      $0.headers = ["X-Api-Key": "s3cret-01", "X-Client": "kept"]
      $0.cookies = .jar(CookieJar())
      $0.retry = .immediate(limit: 1)
    } routes: {
      Route(
        .get, "/old",
        Mock.redirect(to: "/new?access_token=s3cret-02&page=7#s3cret-03")
          .header("Set-Cookie", "session=s3cret-04").header("X-Auth-Token", "s3cret-05")
          .header("Link", "<https://a.example/?api_key=s3cret-06>; rel=next")
          .header("Refresh", "0; url=https://user:s3cret-07@a.example/")
          .header("X-Debug", "Bearer s3cret-08"))
      Route(.get, "/new", Mock.json(["password": "s3cret-09"], status: 503))
    }
    client.authenticate(bearerToken: "s3cret-10")
    _ = client.request(
      .get(
        "old?password=s3cret-11#s3cret-12",
        headers: [
          "Cookie": "a=s3cret-13", "Referer": "https://u:s3cret-14@a.example/?sig=s3cret-15",
          "Proxy-Authorization": "Basic s3cret-16",
        ]))
    await fixture.time.run()
    let events = fixture.monitor.events
    let text = text(events)
    #expect(events.kinds.contains { $0.hasPrefix("retrying") })
    #expect(!text.contains("s3cret"))
    #expect(text.contains("kept") && text.contains("page=7") && text.contains("***"))
  }

  private struct ErrorWithSecrets: Error {
    let password = "s3cret"
    let url = "https://user:s3cret@a.example/?token=s3cret"
  }

  @Test func noFailureContainsASecret() async throws {
    let client = fixture.client {
      Route(.get, "/broken", .failure(.connectionLost))
    }
    client.middleware = { _, _ in .rejected(ErrorWithSecrets()) }
    _ = client.request(.get("broken?token=s3cret")).fail { _ in }
    await fixture.time.run()
    client.middleware = nil
    client.preProcessRequest = { _ in
      throw NetworkError(
        .decodingFailed, request: .init(method: .get, url: "https://u:s3cret@a.example/"),
        body: Data("a body with s3cret".utf8), underlying: ErrorWithSecrets())
    }
    _ = client.request(.get("broken?token=s3cret")).fail { _ in }
    await fixture.time.run()
    let events = fixture.monitor.events
    #expect(events.filter(\.isFinal).count == 2)
    #expect(!text(events).contains("s3cret"))
  }

  @Test func otherFieldsAreUnchanged() async throws {
    let fields: HTTPHeaders = [
      "Content-Type": "text/plain; charset=utf-8", "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
      "ETag": "\"key=1\"", "Location": "https://a.example/b?page=2", "X-Plain": "a b c",
      "Cache-Control": "max-age=60", "X-Ratio": "a:b", "Authorization": "Basic abc",
    ]
    var masked = fields
    masked["Authorization"] = "***"
    #expect(fields.redacted().fields == masked.fields)
  }
}
