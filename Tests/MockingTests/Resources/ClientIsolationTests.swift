import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingRecordings
@testable import MockingResources
@testable import MockingStubs
@testable import MockingTemplates

/// Each isolated client has variables, scenarios, sequences, counters and limits of its own.
@Suite(.gated)
struct ClientIsolationTests {
  private static let routes = #"""
    "routes": [
      {"path": "/failures", "method": "POST", "increment": {"failures": 1}, "text": "{{ variables.failures }}"},
      {"path": "/step", "scenario": {"name": "s", "then": "second"}, "text": "first", "times": 1},
      {"path": "/step", "scenario": {"name": "s", "when": "second"}, "text": "second"},
      {"path": "/sequence", "sequence": [{"text": "a"}, {"text": "b"}]},
      {"path": "/counter", "text": "{{ counter('photos') }}"},
      {"path": "/plain", "text": "plain"},
      {"path": "/cookie", "headers": {"Set-Cookie": ["client=new", "a=b"]}, "text": "x"}
    ]}
    """#

  @Test func clientsDoNotShareState() async throws {
    let transport = try StubFixture(
      #"{"isolation": {"header": "X-Client"}, "# + Self.routes
    ).transport()
    func texts(_ client: String) async -> [String] {
      var texts: [String] = []
      for target in ["/step", "/step", "/sequence", "/sequence", "/counter", "/counter"] {
        texts.append(await transport.send(.get, target, nil, ["X-Client": client]).text)
      }
      texts.append(await transport.send(.post, "/failures", "", ["X-Client": client]).text)
      return texts
    }
    let expected = ["first", "second", "a", "b", "1", "2", "1"]
    #expect(await texts("ann") == expected)
    #expect(await texts("bob") == expected)
    #expect(await transport.send(.post, "/failures", "", ["X-Client": "ann"]).text == "2")
    // A request without a client uses the shared state.
    #expect(transport.variables["failures"] == nil)
    #expect(await transport.send(.get, "/step").text == "first")
    transport.scenarios.reset()
    #expect(await texts("ann") == expected)
  }

  @Test func aLimitOfUsesCountsForEachClient() async throws {
    let transport = try StubFixture(
      #"""
      {"isolation": {"header": "X-Client"}, "routes": [
        {"path": "/once", "text": "once", "times": 1}, {"path": "/once", "text": "later"}
      ]}
      """#
    ).transport()
    for client in ["ann", "bob"] {
      for expected in ["once", "later", "later"] {
        let text = await transport.send(.get, "/once", nil, ["X-Client": client]).text
        #expect(text == expected, "\(client)")
      }
    }
  }

  @Test func withoutIsolationClientsShareState() async throws {
    let transport = try StubFixture("{" + Self.routes).transport()
    #expect(await transport.send(.get, "/step", nil, ["X-Client": "ann"]).text == "first")
    #expect(await transport.send(.get, "/step", nil, ["X-Client": "bob"]).text == "second")
  }

  @Test func everyRouteGivesANewClientItsCookie() async throws {
    let transport = try StubFixture(
      #"{"isolation": {"cookie": "client"}, "# + Self.routes
    ).transport()
    let first = await transport.send(.get, "/plain")
    let cookie = try #require(first.headers["Set-Cookie"])
    #expect(cookie.hasPrefix("client="))
    let pair = String(cookie.prefix { $0 != ";" })
    #expect(await transport.send(.get, "/step", nil, ["Cookie": pair]).text == "first")
    let second = await transport.send(.get, "/step", nil, ["Cookie": pair])
    #expect(second.text == "second")
    #expect(second.headers["Set-Cookie"] == nil)
    #expect(await transport.send(.get, "/step").text == "first")
    // A cookie of the same name in the response wins.
    let own = await transport.send(.get, "/cookie")
    #expect(own.headers.values(for: "Set-Cookie") == ["client=new", "a=b"])
  }

  @Test func theStateOfTheOldestClientIsDropped() async throws {
    let transport = try StubFixture(
      #"{"isolation": {"header": "X-Client", "maximumClients": 2}, "# + Self.routes
    ).transport()
    for client in ["a", "b", "c"] {
      #expect(await transport.send(.get, "/counter", nil, ["X-Client": client]).text == "1")
    }
    #expect(await transport.send(.get, "/counter", nil, ["X-Client": "c"]).text == "2")
    #expect(await transport.send(.get, "/counter", nil, ["X-Client": "a"]).text == "1")
  }

  @Test func aStoreWithIsolationHasAWarning() throws {
    let stubs = try StubFixture(
      #"{"store": "data.json", "isolation": {"header": "X"}, "routes": [{"resource": "/a"}]}"#)
    let warnings = try StubFile(contentsOf: stubs.file, opensStore: false).warnings
    #expect(warnings.map(\.problem).first?.contains("only the items of requests without") == true)
  }

  @Test func aTransactionIsAtomicAndSwiftRoutesReadResources() async throws {
    struct Stop: Error {}
    let store = ResourceStore()
    let carts = try Resource("/carts", data: [["id": 1, "n": 2]], in: store)
    let transport = MockTransport {
      carts
      Route(.get, "/count", .template(text: "{{ resources['/carts'] | sum('n') }}"))
      Route(.get, "/full", .text("full")).where(.expression("resources['/carts'].1.n >= 2"))
    }
    let order = try store.update { items in
      #expect(items["/carts"].count == 1)
      return try items.create(["n": 5], at: "/carts")
    }
    #expect(order["id"] == 2)
    #expect(throws: Stop.self) {
      try store.update { items in
        try items.delete(1, at: "/carts")
        try items.update(2, at: "/carts", with: ["n": 0])
        throw Stop()
      }
    }
    #expect(throws: ResourceError.missing(id: "9")) {
      try store.update { try $0.delete(9, at: "/carts") }
    }
    #expect(await transport.send(.get, "/count").text == "7")
    #expect(await transport.send(.get, "/full").text == "full")
  }
}
