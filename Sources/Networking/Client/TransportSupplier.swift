/// Who says what performs a request.
enum TransportSupplier: Hashable, Sendable {
  /// The client has a transport.
  case client
  /// The client's provider stands in for it.
  case provider
  /// A scope does; two of them may answer the same request differently.
  case scope(TransportScope)
}

/// What performs a request in place of a client's transport, and who says so.
struct StandIn: Sendable {
  let transport: any Transport
  let supplier: TransportSupplier
}
