extension NetworkEvent {
  /// What happened.
  ///
  /// ``NetworkEvent`` says in what order they come. There may be further kinds in later versions: a `switch`
  /// over them should have a `default`.
  public enum Kind: Sendable, Hashable {
    // The call.
    /// The call was made, and waits for its turn in the client's queue.
    case queued
    /// Its turn has come.
    case started

    /// An identical request is under way, and its answer is waited for; that of this call, if somebody watches it.
    ///
    /// What happens on the way is told with that call, until it is over.
    case shared(with: CallID?)

    // A hop.
    /// A hop begins, with these header fields, and a body of so many bytes: 0 without one, nil when that is
    /// not known.
    ///
    /// The fields are those that the client sends, without what the transport adds to them.
    case sending(headers: HTTPHeaders, bodySize: Int64?)
    /// The host's name has been looked up.
    case resolved
    /// A connection stands.
    case connected(Connection)
    /// The TLS handshake is done.
    case secured
    /// Somebody answers in the network's stead: `mock`, `tape`, or the interceptor of this name.
    case answered(by: String)
    /// The request is out, with so many bytes of its body.
    ///
    /// That is all of them, unless the answer comes before. Where a transport cannot tell, it comes right
    /// before the head.
    case requestSent(bytes: Int64)
    /// The status, the version and the header fields of the response.
    case head(HTTPResponseHead)
    /// Bytes of the bodies go to and fro.
    ///
    /// There is one for each hundredth of the body, and for each 64 KiB at the most; so small bodies have none.
    case progress(TransferProgress)
    /// The response is complete, with so many bytes of a body as received, before any decoding.
    case body(bytes: Int64)

    // What leads to another hop.
    /// The response points to this URL, and is followed there.
    case redirected(to: String)
    /// The request is sent again.
    ///
    /// - `after` is how long is waited before, `because` what was wrong with the last attempt, and `attempt` the
    ///   number of the next.
    case retrying(after: Duration, because: Failure, attempt: Int)
    /// The server refused the credentials, new ones have been fetched, and the request is sent again.
    case credentialsRefreshed

    // The end.
    /// There is a response, of whatever status; the metrics are those of the last hop.
    indirect case finished(status: Int, metrics: TransportMetrics)
    /// There is none.
    case failed(Failure)
    /// Somebody cancelled.
    case cancelled
  }
}
