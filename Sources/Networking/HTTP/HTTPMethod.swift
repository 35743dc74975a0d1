/// What a request asks to be done with its resource.
///
/// Any token can be a method; the ones with names of their own here are those of RFC 9110 and RFC 5789.
/// Methods are case-sensitive, and kept as they were given.
///
/// Source: RFC 9110 section 9, RFC 5789.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  /// The method as it stands in the request line.
  public let rawValue: String

  /// Makes any method; one that is not a token is refused when the request is built.
  ///
  /// - Parameter rawValue: the method as it stands in the request line, `GET`.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Transfers a representation of the resource.
  public static let get = HTTPMethod(rawValue: "GET")
  /// The same without the body.
  public static let head = HTTPMethod(rawValue: "HEAD")
  /// Has the resource process the body.
  public static let post = HTTPMethod(rawValue: "POST")
  /// Replaces the resource with the body.
  public static let put = HTTPMethod(rawValue: "PUT")
  /// Changes the resource as the body says.
  public static let patch = HTTPMethod(rawValue: "PATCH")
  /// Removes the resource.
  public static let delete = HTTPMethod(rawValue: "DELETE")
  /// Asks what can be done with the resource.
  public static let options = HTTPMethod(rawValue: "OPTIONS")
  /// Asks for the request as it arrived.
  public static let trace = HTTPMethod(rawValue: "TRACE")

  /// Whether the method only reads, so that asking twice or not at all changes nothing.
  ///
  /// Source: RFC 9110 section 9.2.1.
  public var isSafe: Bool {
    switch self {
    case .get, .head, .options, .trace: true
    default: false
    }
  }

  /// Whether asking several times has the effect of asking once.
  ///
  /// Source: RFC 9110 section 9.2.2.
  public var isIdempotent: Bool {
    isSafe || self == .put || self == .delete
  }

  /// The method as it stands in the request line.
  public var description: String { rawValue }
}
