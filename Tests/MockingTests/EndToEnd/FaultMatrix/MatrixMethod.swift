#if os(Linux)
  import Networking
  import Testing

  /// A kind of request that the matrix sends.
  struct MatrixMethod: Sendable, CustomTestStringConvertible {
    let method: HTTPMethod
    /// Whether its policy makes it a key.
    let hasKey: Bool
    /// Whether it may be sent more than once: "for idempotent methods and for requests with an
    /// `Idempotency-Key` only".
    let isRepeatable: Bool

    static let all = [
      MatrixMethod(method: .get, hasKey: false, isRepeatable: true),
      MatrixMethod(method: .put, hasKey: false, isRepeatable: true),
      MatrixMethod(method: .post, hasKey: false, isRepeatable: false),
      MatrixMethod(method: .post, hasKey: true, isRepeatable: true),
    ]

    var testDescription: String { "\(method)\(hasKey ? " with a key" : "")" }

    /// What the server is to receive as its body.
    var body: String { method == .get ? "" : #"{"n":7}"# }

    func request(_ path: RequestPath) -> Request {
      Request(method, path, parameters: method == .get ? nil : ["n": 7])
    }

    func policy(_ policy: RetryPolicy) -> RetryPolicy {
      hasKey ? policy.withIdempotencyKey { "key-1" } : policy
    }
  }
#endif
