import Foundation
import Networking

/// The client of a request, and the resources that templates of its response read.
///
/// It is no part of the request as received, so it does not count for equality.
struct RequestSession: Sendable, Hashable {
  /// The client that the request belongs to.
  ///
  /// `nil` if clients are not isolated, and for a request without a client.
  var client: String?
  /// The value of `Set-Cookie` for a client that has no cookie yet.
  var newCookie: String?
  /// The maximum number of clients with values of their own.
  var maximumClients = 100
  /// The values of `let`, if the route has evaluated them before the response.
  var constants: [JSON]?
  /// The resources of the backend.
  var resources: (any RequestResources)?

  static func == (left: RequestSession, right: RequestSession) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}

/// The resources of a backend.
protocol RequestResources: AnyObject, Sendable {
  /// Returns the items of all resources at this time.
  ///
  /// - Parameter client: The client whose items are read. `nil` reads the shared items.
  /// - Returns: The items. Taking them copies nothing.
  func items(for client: String?) -> any RequestItems
  /// Whether responses wait for ``saveChanges()``, because many changes are not on the disk.
  var isBehind: Bool { get }
  /// Writes pending changes to disk before it returns.
  func saveChanges()
}

/// The items of all resources of a backend at one time.
///
/// A path is that of a resource, such as `/users/{user}/carts`. The names of its variables are
/// ignored. An instance is used by one thread.
protocol RequestItems: AnyObject {
  /// Returns the name of the member with the id, or `nil` if there is no resource at a path.
  func key(at path: String) -> String?
  /// Returns the items of a resource in the order of their creation.
  func items(at path: String) -> [JSON]
  /// Returns a value as JSON text, with the members in the order in which the resources have them.
  func encode(_ json: JSON) throws -> Data
  /// Returns the item with an id, or `nil` if there is none.
  func item(_ id: JSON, at path: String) -> JSON?
}

extension ReceivedRequest {
  /// The client that the request belongs to, if clients are isolated.
  ///
  /// It is the value of the header field or the cookie of `ResourceStore.Isolation`. `nil` if the
  /// backend does not isolate clients, and for a request without a client.
  public var client: String? { session.client }
}

/// Values of isolated clients, with a maximum number of clients.
///
/// Each client starts with the initial value. If there are too many clients, the value of the one that
/// has been unused for the longest time is dropped.
struct ClientValues<Value: Sendable>: Sendable {
  private struct Entry {
    var value: Value
    var lastUse: Int
  }

  /// The value for requests without a client.
  var shared: Value
  private let initial: Value
  private var entries: [String: Entry] = [:]
  private var steps = 0

  init(_ initial: Value) {
    shared = initial
    self.initial = initial
  }

  /// The clients with values of their own.
  var clients: [String] { Array(entries.keys) }

  /// Returns the value of a client.
  func value(for client: String?) -> Value {
    guard let client else { return shared }
    return entries[client]?.value ?? initial
  }

  /// Changes the value of a client.
  ///
  /// - Parameters:
  ///   - client: The client. `nil` changes the shared value.
  ///   - limit: The maximum number of clients.
  ///   - change: A closure that changes the value.
  /// - Returns: The result of the closure.
  mutating func update<Result>(
    _ client: String?, atMost limit: Int, _ change: (inout Value) -> Result
  ) -> Result {
    guard let client else { return change(&shared) }
    steps += 1
    let fresh = Entry(value: initial, lastUse: steps)
    if entries[client] == nil {
      if entries.count >= max(limit, 1),
        let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        entries[oldest.key] = nil
      }
    }
    entries[client, default: fresh].lastUse = steps
    return change(&entries[client, default: fresh].value)
  }

  /// Changes the shared value and the values of all clients.
  mutating func updateAll(_ change: (inout Value) -> Void) {
    change(&shared)
    entries = entries.mapValues { entry in
      var entry = entry
      change(&entry.value)
      return entry
    }
  }

  /// Drops the values of all clients.
  mutating func dropClients() { entries = [:] }
}
