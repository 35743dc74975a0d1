/// The method of a request.
///
/// Any token can be a method. The constants are the methods of RFC 9110 and RFC 5789. Methods are
/// case-sensitive.
///
/// Source: RFC 9110 section 9, RFC 5789.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  /// The method as in the request line.
  public let rawValue: String

  /// Creates a method.
  ///
  /// A value that is not a token is rejected when the request is built.
  ///
  /// - Parameter rawValue: The method as in the request line, such as `GET`.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Transfers a representation of the resource.
  public static let get = HTTPMethod(rawValue: "GET")
  /// Like GET, but without a response body.
  public static let head = HTTPMethod(rawValue: "HEAD")
  /// Processes the body according to the rules of the resource.
  public static let post = HTTPMethod(rawValue: "POST")
  /// Replaces the resource with the body.
  public static let put = HTTPMethod(rawValue: "PUT")
  /// Applies the changes in the body to the resource.
  public static let patch = HTTPMethod(rawValue: "PATCH")
  /// Removes the resource.
  public static let delete = HTTPMethod(rawValue: "DELETE")
  /// Describes the communication options of the resource.
  public static let options = HTTPMethod(rawValue: "OPTIONS")
  /// Returns the request as the server received it.
  public static let trace = HTTPMethod(rawValue: "TRACE")

  /// Whether the method is safe: it only reads.
  ///
  /// Source: RFC 9110 section 9.2.1.
  var isSafe: Bool { [.get, .head, .options, .trace].contains(self) }

  /// Whether the method is idempotent: several identical requests have the same effect as one.
  ///
  /// Source: RFC 9110 section 9.2.2.
  package var isIdempotent: Bool { isSafe || self == .put || self == .delete }

  /// The method as in the request line.
  public var description: String { rawValue }
}
