import Networking

/// How an archive names a transport's failures, `timedOut.connect`.
enum FailureName {
  /// The name; of a code that no transport has, it is that of a lost connection.
  static func of(_ code: NetworkError.Code) -> String { names[code] ?? "connectionLost" }

  /// The code of a name; what others write, `net::ERR_FAILED`, is a connection that was not made.
  static func code(_ name: String) -> NetworkError.Code {
    codes[name] ?? .cannotConnect
  }

  private static let codes: [String: NetworkError.Code] = [
    "invalidURL": .invalidURL, "invalidMethod": .invalidMethod, "invalidHeader": .invalidHeader,
    "encodingFailed": .encodingFailed, "unsupported": .unsupported, "dnsFailed": .dnsFailed,
    "cannotConnect": .cannotConnect, "connectionLost": .connectionLost,
    "notConnectedToInternet": .notConnectedToInternet, "timedOut.connect": .timedOut(.connect),
    "timedOut.idle": .timedOut(.idle), "timedOut.attempt": .timedOut(.attempt),
    "timedOut.call": .timedOut(.call), "tlsHandshakeFailed": .tlsHandshakeFailed,
    "tlsCertificateExpired": .tlsCertificateExpired, "tlsHostMismatch": .tlsHostMismatch,
    "tlsUntrusted": .tlsUntrusted, "pinMismatch": .pinMismatch,
    "malformedResponse": .malformedResponse, "cancelled": .cancelled,
    "redirectRefused": .redirectRefused, "tooManyRedirects": .tooManyRedirects,
  ]
  private static let names = Dictionary(uniqueKeysWithValues: codes.map { ($1, $0) })
}
