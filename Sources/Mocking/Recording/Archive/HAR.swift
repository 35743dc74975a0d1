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
