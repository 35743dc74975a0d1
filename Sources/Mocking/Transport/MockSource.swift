import Networking

/// A source of mocks that respond to the requests of all clients in a scope.
///
/// A ``MockProvider`` and a ``MockTransport`` are sources, and so are a `StubFile` of the module
/// `MockingStubs` and a `Tape` of the module `MockingRecordings`. ``withMocks(_:unmatched:file:line:isolation:_:)``
/// and the trait `.mocked` of the module `CatenaTesting` take any source.
///
/// ```swift
/// struct ShopBackend: MockSource {
///   var stock = 3
///
///   func makeMocks() -> ScopedMocks {
///     MockTransport { Route(.get, "/stock", .json(.int(stock))) }.makeMocks()
///   }
/// }
/// ```
public protocol MockSource: Sendable {
  /// Returns the mocks for a scope.
  ///
  /// Called once for each scope, before its operation runs.
  ///
  /// - Returns: The mocks, such as those of a ``MockTransport``.
  func makeMocks() -> ScopedMocks
}

/// The mocks of one scope, and the backend that verifies their requests.
///
/// ``MockSource/makeMocks()`` returns them.
public struct ScopedMocks: Sendable {
  /// The backend with the journal of the mocks.
  package let backend: any MockBackend
  /// The transports of the mocks.
  package let provider: AnyTransportProvider
}
