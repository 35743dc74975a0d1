import Foundation
public import Networking

/// An HTTP archive (HAR), which contains recorded exchanges.
///
/// A ``Tape`` writes and reads archives, and so do browsers, proxies and test tools.
///
/// ```swift
/// let har = try HAR(contentsOf: file)
/// for entry in har.log.entries { print(entry.request.method, entry.request.url) }
/// ```
///
/// The properties have the names of the members of the format. Archives are read as they are found:
/// see ``HARObject``. Members without a property are kept, and are written back. An entry without a
/// method, an absolute URL or a valid status is left out, and is one of the ``warnings``.
///
/// Source: HTTP Archive 1.2, http://www.softwareishard.com/blog/har-12-spec/.
public struct HAR: HARObject {
  /// The root of the archive.
  public var log: Log
  /// The members of the file beside the root.
  public var otherMembers: [String: JSON] = [:]
  /// The entries that were left out or repaired when the archive was read, in order.
  ///
  /// They are not written. Two archives that differ only in their warnings are equal.
  public internal(set) var warnings: [ArchiveWarning] = []

  /// Creates an archive.
  ///
  /// - Parameter log: The root.
  public init(log: Log = Log()) {
    self.log = log
  }

  /// Reads an archive.
  ///
  /// - Parameter json: The object. A list of entries without a root, and an entry, are archives too.
  public init(json: JSON) {
    var members = HARMembers(json)
    var log: JSON = .null
    if let root = members.take("log") {
      log = root
      otherMembers = members.rest
    } else {
      log = json.array == nil ? json : ["entries": json]
    }
    if log["entries"].isNull, log["request"].dictionary != nil { log = ["entries": [log]] }
    let entries = log["entries"].array ?? []
    log.remove("entries")
    self.log = Log(json: log)
    for (index, json) in entries.enumerated() {
      let entry = Entry(json: json)
      if let problem = json.dictionary == nil ? "it is not an object" : entry.problem {
        warnings.append(
          ArchiveWarning(entry, at: index, problem: "left out: \(problem)", isOmission: true))
      } else {
        self.log.entries.append(entry)
        let content = json["response"]["content"]
        if entry.response.content.encoding == nil, content["encoding"].string != nil,
          content["text"].string?.isEmpty == false
        {
          warnings.append(
            ArchiveWarning(
              entry, at: index,
              problem: "the body is read as text: its encoding is base64, but it is not base64"))
        }
      }
    }
  }

  /// The archive as JSON.
  public var json: JSON { HARMembers.json(["log": log.json], and: otherMembers) }

  /// Returns whether two archives have the same content.
  public static func == (left: HAR, right: HAR) -> Bool {
    left.log == right.log && left.otherMembers == right.otherMembers
  }

  /// Feeds the content to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(log)
    hasher.combine(otherMembers)
  }

  /// The root of an archive.
  public struct Log: HARObject {
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
    /// The members that have no property.
    public var otherMembers: [String: JSON] = [:]

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
  public struct Creator: HARObject {
    /// The name of the program.
    public var name: String
    /// The version of the program.
    public var version: String
    /// A comment.
    public var comment: String?
    /// The members that have no property.
    public var otherMembers: [String: JSON] = [:]

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
  public struct Entry: HARObject {
    /// The `Page.id` of the page that the exchange belongs to.
    public var pageref: String?
    /// The start of the exchange, in ISO 8601 with fractions of a second.
    ///
    /// An archive of another program may have any other text, or none. A number of milliseconds since
    /// 1970 is read as the date.
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
    /// The members that have no property.
    public var otherMembers: [String: JSON] = [:]

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

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  }

  /// The use of a cache in an exchange.
  ///
  /// A ``Tape`` writes an empty value. The states of the cache before and after the exchange are in
  /// ``otherMembers``.
  public struct Cache: HARObject {
    /// A comment.
    public var comment: String?
    /// The members that have no property.
    public var otherMembers: [String: JSON] = [:]

    /// Creates an empty value.
    ///
    /// - Parameter comment: A comment.
    public init(comment: String? = nil) {
      self.comment = comment
    }
  }
}

// MARK: - JSON

extension HAR.Log {
  /// Reads the root of an archive.
  ///
  /// - Parameter json: The object. All entries are read, also those without a method or a URL.
  public init(json: JSON) {
    var members = HARMembers(json)
    let hasPages = members.rest["pages"]?.array != nil
    let pages: [HAR.Page] = members.list("pages")
    self.init(
      version: members.text("version") ?? "1.2",
      creator: members.object("creator") ?? HAR.Creator(name: "", version: ""),
      browser: members.object("browser"),
      pages: hasPages ? pages : nil,
      entries: members.list("entries"), comment: members.text("comment"))
    otherMembers = members.rest
  }

  /// The root as JSON.
  public var json: JSON {
    HARMembers.json(
      [
        "version": version.json, "creator": creator.json, "browser": browser?.json,
        "pages": pages.map { HARMembers.json($0) }, "entries": HARMembers.json(entries),
        "comment": comment?.json,
      ], and: otherMembers)
  }
}

extension HAR.Creator {
  /// Reads the name and the version of a program.
  ///
  /// - Parameter json: The object.
  public init(json: JSON) {
    var members = HARMembers(json)
    self.init(
      name: members.text("name") ?? "", version: members.text("version") ?? "",
      comment: members.text("comment"))
    otherMembers = members.rest
  }

  /// The name and the version as JSON.
  public var json: JSON {
    HARMembers.json(
      ["name": name.json, "version": version.json, "comment": comment?.json], and: otherMembers)
  }
}

extension HAR.Entry {
  /// Reads an entry.
  ///
  /// - Parameter json: The object.
  public init(json: JSON) {
    var members = HARMembers(json)
    let start = members.rest["startedDateTime"]?.double.map {
      Self.timestamp(Date(timeIntervalSince1970: min(max($0 / 1_000, 0), 4e9)))
    }
    let text = members.text("startedDateTime") ?? ""
    self.init(
      startedDateTime: start ?? text,
      request: members.object("request") ?? HAR.Request(method: "", url: ""),
      response: members.object("response") ?? HAR.Response(status: 0),
      timings: members.object("timings") ?? HAR.Timings())
    time = members.number("time") ?? timings.sum
    pageref = members.text("pageref")
    cache = members.object("cache") ?? HAR.Cache()
    serverIPAddress = members.text("serverIPAddress")
    connection = members.text("connection")
    comment = members.text("comment")
    otherMembers = members.rest
  }

  /// The entry as JSON.
  public var json: JSON {
    HARMembers.json(
      [
        "pageref": pageref?.json, "startedDateTime": startedDateTime.json,
        "time": HARMembers.json(time), "request": request.json, "response": response.json,
        "cache": cache.json, "timings": timings.json, "serverIPAddress": serverIPAddress?.json,
        "connection": connection?.json, "comment": comment?.json,
      ], and: otherMembers)
  }

  /// The reason why the entry does not describe an exchange, or `nil`.
  var problem: String? {
    if request.method.isEmpty { return "expected a method, such as GET, found none" }
    if !request.method.isToken { return "expected a method, such as GET" }
    if request.url.isEmpty { return "expected an absolute URL, found none" }
    if URL(reference: request.url)?.scheme == nil { return "expected an absolute URL" }
    if response.status != 0, !(100...999).contains(response.status) {
      return "expected a status of three digits, or 0, found \(response.status)"
    }
    return nil
  }
}

extension HAR.Cache {
  /// Reads the use of a cache.
  ///
  /// - Parameter json: The object.
  public init(json: JSON) {
    var members = HARMembers(json)
    self.init(comment: members.text("comment"))
    otherMembers = members.rest
  }

  /// The use of a cache as JSON.
  public var json: JSON { HARMembers.json(["comment": comment?.json], and: otherMembers) }
}
