import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// The responses after which a ``RefreshInterceptor`` refreshes.
@Suite(.gated)
struct RejectionRuleTests {
  /// Returns the status of a response and the number of refreshes.
  ///
  /// The server rejects the first token with a status and a field.
  private func send(
    _ refresh: (_ renew: @escaping @Sendable () -> Void) -> RefreshInterceptor, _ status: Int
  ) async throws -> (status: Int, refreshes: Int) {
    let transport = FakeTransport { request in
      request.headers["Authorization"] == "Bearer new"
        ? .response(204) : .response(status, ["X-Token": "expired"])
    }
    let client = Networking<Request>(
      baseURL: .of("https://a.example"), transport: transport, configuration: .plain)
    client.callbackContext = .inline
    client.authenticate(bearerToken: "old")
    let count = Counter()
    client.interceptors = [
      refresh { [weak client] in
        count.add()
        client?.authenticate(bearerToken: "new")
      }
    ]
    return (try await client.request(.get("x")).value.status, count.value)
  }

  @Test(arguments: [false, true])
  func statusesAreALiteral(_ isAsync: Bool) async throws {
    for (status, expected) in [(401, 401), (419, 204), (498, 204)] {
      let result = try await send(
        { renew in
          isAsync
            ? RefreshInterceptor(on: [419, 498]) { _ in
              await Task.yield()
              renew()
            }
            : RefreshInterceptor(on: [419, 498]) { _ in Promise.fulfilled(renew()) }
        }, status)
      #expect(result.status == expected && result.refreshes == (expected == 204 ? 1 : 0))
    }
  }

  @Test func theDefaultIs401() async throws {
    for (status, expected) in [(401, 204), (403, 403)] {
      let result = try await send(
        { renew in RefreshInterceptor { _ in Promise.fulfilled(renew()) } }, status)
      #expect(result.status == expected)
    }
  }

  @Test(arguments: [("expired", 204), ("revoked", 200)])
  func aClosureCanReadTheWholeResponse(_ value: String, _ expected: Int) async throws {
    let result = try await send(
      { renew in
        RefreshInterceptor(on: .matching { $0.status == 200 && $0.headers["X-Token"] == value }) {
          _ in Promise.fulfilled(renew())
        }
      }, 200)
    #expect(result.status == expected && result.refreshes == (expected == 204 ? 1 : 0))
  }
}
