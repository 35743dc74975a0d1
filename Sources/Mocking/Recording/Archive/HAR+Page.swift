extension HAR {
  /// A page of a browser's, which exchanges belong to.
  public struct Page: Codable, Sendable, Hashable {
    /// When it began to load, in ISO 8601.
    public var startedDateTime: String
    /// What entries refer to it by.
    public var id: String
    /// Its title.
    public var title: String
    /// How long its parts took.
    public var pageTimings: PageTimings
    /// A remark.
    public var comment: String?

    /// Makes a page.
    ///
    /// - Parameters:
    ///   - startedDateTime: when it began to load, in ISO 8601.
    ///   - id: what entries refer to it by.
    ///   - title: its title.
    ///   - pageTimings: how long its parts took.
    ///   - comment: a remark.
    public init(
      startedDateTime: String, id: String, title: String,
      pageTimings: PageTimings = PageTimings(), comment: String? = nil
    ) {
      self.startedDateTime = startedDateTime
      self.id = id
      self.title = title
      self.pageTimings = pageTimings
      self.comment = comment
    }
  }

  /// How long a page took, in milliseconds from its beginning; -1 or nil is not known.
  public struct PageTimings: Codable, Sendable, Hashable {
    /// When its content was there.
    public var onContentLoad: Double?
    /// When all of it was there.
    public var onLoad: Double?
    /// A remark.
    public var comment: String?

    /// Makes timings.
    ///
    /// - Parameters:
    ///   - onContentLoad: when its content was there.
    ///   - onLoad: when all of it was there.
    ///   - comment: a remark.
    public init(onContentLoad: Double? = nil, onLoad: Double? = nil, comment: String? = nil) {
      self.onContentLoad = onContentLoad
      self.onLoad = onLoad
      self.comment = comment
    }
  }
}
