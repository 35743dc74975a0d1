/// When a host that keeps failing is left alone, each host for itself.
///
/// After ``threshold`` failures in a row its circuit is open: requests fail at once with
/// ``NetworkError/Code-swift.enum/circuitOpen``, and nothing is sent. After ``cooldown`` it is half-open:
/// one request is let through to try. Its success closes the circuit, its failure opens it for another
/// ``cooldown``, and all others fail at once until it has ended.
///
/// Failures are those of the connection (``NetworkError/Code-swift.enum/isConnectionFailure``) and the
/// statuses 500 to 599; any other response is a success, and all else, a cancellation or a certificate
/// that is not trusted, is neither. A host is scheme, name and port.
///
/// Source: M. Nygard, Release It!, the Circuit Breaker pattern.
public struct CircuitBreaker: Sendable, Hashable {
  /// How many failures in a row open a circuit; at least one.
  public var threshold: Int
  /// How long it stays open before one request tries.
  public var cooldown: Duration

  /// Makes the rule.
  ///
  /// - Parameters:
  ///   - threshold: how many failures in a row open a circuit; less than one is one.
  ///   - cooldown: how long it stays open before one request tries.
  public init(threshold: Int = 5, cooldown: Duration = .seconds(30)) {
    self.threshold = threshold
    self.cooldown = cooldown
  }
}
