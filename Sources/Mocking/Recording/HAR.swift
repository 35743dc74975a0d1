import Foundation

/// An HTTP archive: exchanges as browsers, proxies and test tools save them, and as a ``Tape`` does.
///
/// ```swift
/// let har = try HAR(contentsOf: file)
/// for entry in har.log.entries { print(entry.request.method, entry.request.url) }
/// ```
///
/// The properties bear the names that the format gives them. Members that the format does not know, which
/// others write with an underscore in front, are passed over in reading, except those that are
/// documented here.
///
/// Source: HTTP Archive 1.2, http://www.softwareishard.com/blog/har-12-spec/.
public struct HAR: Codable, Sendable, Hashable {
  /// What the file holds.
  public var log: Log

  /// Makes an archive.
  ///
  /// - Parameter log: what it holds.
  public init(log: Log = Log()) {
    self.log = log
  }

  /// The root of an archive.
  public struct Log: Codable, Sendable, Hashable {
    /// The version of the format.
    public var version: String
    /// What wrote it.
    public var creator: Creator
    /// The browser whose exchanges they are, if it was one.
    public var browser: Creator?
    /// The pages that the exchanges belong to; nil where there are no pages.
    public var pages: [Page]?
    /// The exchanges; a ``Tape`` has them in the order in which they began.
    public var entries: [Entry]
    /// A remark.
    public var comment: String?

    /// Makes a log.
    ///
    /// - Parameters:
    ///   - version: the version of the format.
    ///   - creator: what writes it.
    ///   - browser: the browser whose exchanges they are.
    ///   - pages: the pages that the exchanges belong to.
    ///   - entries: the exchanges.
    ///   - comment: a remark.
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
    /// The program's name.
    public var name: String
    /// The program's version.
    public var version: String
    /// A remark.
    public var comment: String?

    /// Names a program.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - version: its version.
    ///   - comment: a remark.
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
    /// The page it belongs to.
    public var pageref: String?
    /// When it began, in ISO 8601 with fractions of a second.
    public var startedDateTime: String
    /// How long it took, in milliseconds: the sum of the ``timings`` that are known.
    public var time: Double
    /// What was asked.
    public var request: Request
    /// What was answered; of status 0 where there was no answer.
    public var response: Response
    /// What a cache had to do with it.
    public var cache: Cache
    /// How long its parts took.
    public var timings: Timings
    /// The address of the server.
    public var serverIPAddress: String?
    /// What tells its connection from others.
    public var connection: String?
    /// A remark.
    public var comment: String?

    /// Makes an entry.
    ///
    /// - Parameters:
    ///   - startedDateTime: when it began, in ISO 8601.
    ///   - request: what was asked.
    ///   - response: what was answered.
    ///   - timings: how long its parts took; ``time`` is their sum.
    ///   - comment: a remark.
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

    /// A moment as the format has it, to the millisecond in UTC.
    static func timestamp(_ date: Date) -> String {
      // Half a millisecond more, as the style cuts off instead of rounding.
      date.addingTimeInterval(0.000_5).formatted(Self.style)
    }

    /// Whether a text is a moment as the format has it.
    static func isTimestamp(_ text: String) -> Bool { (try? style.parse(text)) != nil }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  }

  /// What a cache had to do with an exchange; a ``Tape`` knows of none.
  public struct Cache: Codable, Sendable, Hashable {
    /// A remark.
    public var comment: String?

    /// Makes one that says nothing.
    ///
    /// - Parameter comment: a remark.
    public init(comment: String? = nil) {
      self.comment = comment
    }
  }
}

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
