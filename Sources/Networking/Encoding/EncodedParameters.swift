/// Parameters in the form in which they are sent.
public enum EncodedParameters: Sendable, Hashable {
  /// For the URL, behind what its query has already: `a=1&b=2`, percent-encoded; perhaps empty.
  case query(String)
  /// For the body, its pieces one behind the other; `contentType` is the value of `Content-Type`.
  case body([BodyPiece], contentType: String)
}
