import Foundation

/// An HTTP archive (HAR), which contains recorded exchanges.
///
/// A ``Tape`` writes and reads archives, and so do browsers, proxies and test tools.
///
/// ```swift
/// let har = try HAR(contentsOf: file)
/// for entry in har.log.entries { print(entry.request.method, entry.request.url) }
/// ```
///
/// The properties have the names of the members of the format. When an archive is read, unknown
/// members are ignored. They include the custom members of other programs, whose names start with
/// an underscore, except for those documented here.
///
/// Source: HTTP Archive 1.2, http://www.softwareishard.com/blog/har-12-spec/.
public struct HAR: Codable, Sendable, Hashable {
  /// The root of the archive.
  public var log: Log

  /// Creates an archive.
  ///
  /// - Parameter log: The root.
  public init(log: Log = Log()) {
    self.log = log
  }

  /// The root of an archive.
  public struct Log: Codable, Sendable, Hashable {
    /// The version of the format.
    public var version: String
    /// The program that wrote the archive.
    public var creator: Creator
    /// The browser that made the exchanges, if any.
    public var browser: Creator?
    /// The pages that the exchanges belong to.
    ///
    /// `nil` if there are none.
    public var pages: [Page]?
    /// The exchanges.
    ///
    /// A ``Tape`` writes them in the order of their start.
    public var entries: [Entry]
    /// A comment.
    public var comment: String?

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - version: The version of the format.
    ///   - creator: The program that writes the archive.
    ///   - browser: The browser that made the exchanges.
    ///   - pages: The pages that the exchanges belong to.
    ///   - entries: The exchanges.
    ///   - comment: A comment.
    public init(
      version: String = "1.2", creator: Creator = Creator(), browser: Creator? = nil,
      pages: [Page]? = nil, entries: [Entry] = [], comment: String? = nil
    ) {
      self.version = version
      self.creator = creator
      self.browser = browser
      self.pages = pages
      self.entries = entries
      self.comment = comment
    }
  }

  /// A program that writes archives, or a browser.
  public struct Creator: Codable, Sendable, Hashable {
    /// The name of the program.
    public var name: String
    /// The version of the program.
    public var version: String
    /// A comment.
    public var comment: String?

    /// Creates a creator.
    ///
    /// - Parameters:
    ///   - name: The name of the program.
    ///   - version: The version of the program.
    ///   - comment: A comment.
    public init(name: String = "Catena", version: String = "1", comment: String? = nil) {
      self.name = name
      self.version = version
      self.comment = comment
    }
  }
}

extension HAR {
  /// One exchange.
  public struct Entry: Codable, Sendable, Hashable {
    /// The ``Page/id`` of the page that the exchange belongs to.
    public var pageref: String?
    /// The start of the exchange, in ISO 8601 with fractions of a second.
    public var startedDateTime: String
    /// The duration in milliseconds: the sum of the known ``timings``.
    public var time: Double
    /// The request.
    public var request: Request
    /// The response.
    ///
    /// Its status is 0 if there was none.
    public var response: Response
    /// The use of a cache.
    public var cache: Cache
    /// The durations of the phases.
    public var timings: Timings
    /// The IP address of the server.
    public var serverIPAddress: String?
    /// The identifier of the connection.
    public var connection: String?
    /// A comment.
    public var comment: String?

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - startedDateTime: The start of the exchange, in ISO 8601.
    ///   - request: The request.
    ///   - response: The response.
    ///   - timings: The durations of the phases. ``time`` is their sum.
    ///   - comment: A comment.
    public init(
      startedDateTime: String, request: Request, response: Response, timings: Timings = Timings(),
      comment: String? = nil
    ) {
      self.startedDateTime = startedDateTime
      time = timings.sum
      self.request = request
      self.response = response
      cache = Cache()
      self.timings = timings
      self.comment = comment
    }

    /// Formats a date in UTC, with milliseconds.
    static func timestamp(_ date: Date) -> String {
      // Adds half a millisecond, because the style truncates instead of rounding.
      date.addingTimeInterval(0.000_5).formatted(Self.style)
    }

    /// Returns whether a text is a date in ISO 8601.
    static func isTimestamp(_ text: String) -> Bool { (try? style.parse(text)) != nil }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  }

  /// The use of a cache in an exchange.
  ///
  /// A ``Tape`` writes an empty value.
  public struct Cache: Codable, Sendable, Hashable {
    /// A comment.
    public var comment: String?

    /// Creates an empty value.
    ///
    /// - Parameter comment: A comment.
    public init(comment: String? = nil) {
      self.comment = comment
    }
  }
}

extension HAR {
  /// A page of a browser, which groups exchanges.
  public struct Page: Codable, Sendable, Hashable {
    /// The start of loading, in ISO 8601.
    public var startedDateTime: String
    /// The identifier of the page, which entries refer to.
    public var id: String
    /// The title of the page.
    public var title: String
    /// The durations of loading.
    public var pageTimings: PageTimings
    /// A comment.
    public var comment: String?

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - startedDateTime: The start of loading, in ISO 8601.
    ///   - id: The identifier of the page.
    ///   - title: The title of the page.
    ///   - pageTimings: The durations of loading.
    ///   - comment: A comment.
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

  /// The durations of loading a page, in milliseconds from its start.
  ///
  /// -1 or `nil` means unknown.
  public struct PageTimings: Codable, Sendable, Hashable {
    /// The time until the content was loaded.
    public var onContentLoad: Double?
    /// The time until the whole page was loaded.
    public var onLoad: Double?
    /// A comment.
    public var comment: String?

    /// Creates timings.
    ///
    /// - Parameters:
    ///   - onContentLoad: The time until the content was loaded.
    ///   - onLoad: The time until the whole page was loaded.
    ///   - comment: A comment.
    public init(onContentLoad: Double? = nil, onLoad: Double? = nil, comment: String? = nil) {
      self.onContentLoad = onContentLoad
      self.onLoad = onLoad
      self.comment = comment
    }
  }
}

extension HAR {
  /// A header field, or a query parameter.
  public struct Field: Codable, Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: String
    /// A comment.
    public var comment: String?

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    ///   - comment: A comment.
    public init(name: String, value: String, comment: String? = nil) {
      self.name = name
      self.value = value
      self.comment = comment
    }
  }

  /// A cookie that was sent or set.
  ///
  /// Source: RFC 6265 sections 4.1 and 4.2.
  public struct Cookie: Codable, Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: String
    /// The path of the cookie.
    public var path: String?
    /// The domain of the cookie.
    public var domain: String?
    /// The expiry date, in ISO 8601.
    public var expires: String?
    /// Whether the cookie is hidden from scripts.
    public var httpOnly: Bool?
    /// Whether the cookie is sent only over TLS.
    public var secure: Bool?
    /// A comment.
    public var comment: String?

    /// Creates a cookie.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }
}
