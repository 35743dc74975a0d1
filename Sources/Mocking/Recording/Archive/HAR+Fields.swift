extension HAR {
  /// A header field, or a parameter of a query.
  public struct Field: Codable, Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: String
    /// A remark.
    public var comment: String?

    /// Makes a field.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - value: the value.
    ///   - comment: a remark.
    public init(name: String, value: String, comment: String? = nil) {
      self.name = name
      self.value = value
      self.comment = comment
    }
  }

  /// A cookie, as sent or as set.
  ///
  /// Source: RFC 6265 sections 4.1 and 4.2.
  public struct Cookie: Codable, Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: String
    /// The path that it is for.
    public var path: String?
    /// The domain that it is for.
    public var domain: String?
    /// When it expires, in ISO 8601.
    public var expires: String?
    /// Whether scripts may not see it.
    public var httpOnly: Bool?
    /// Whether it goes over TLS alone.
    public var secure: Bool?
    /// A remark.
    public var comment: String?

    /// Makes a cookie.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - value: the value.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }
}
