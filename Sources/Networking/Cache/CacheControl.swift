/// The directives of the `Cache-Control` fields of a request or a response.
///
/// Invalid and repeated directives are read in the restrictive way: an invalid `max-age` is 0, and of
/// two values the one counts that allows less. Directives of shared caches, such as `s-maxage`, are
/// ignored.
///
/// Source: RFC 9111 sections 4.2.1 and 5.2; RFC 5861; RFC 8246.
struct CacheControl: Sendable, Equatable {
  /// The largest number of seconds, which stands for any larger one.
  ///
  /// Source: RFC 9111 section 1.2.2.
  static let maximumSeconds: Int64 = 1 << 31

  var maxAge: Int64?
  var noStore = false
  /// Whether the whole response must be validated before each use.
  var noCache = false
  /// The names in a `no-cache` directive with an argument, in lower case.
  var noCacheFields: [String] = []
  var isPublic = false
  var mustRevalidate = false
  var immutable = false
  var mustUnderstand = false
  var staleWhileRevalidate: Int64?
  var staleIfError: Int64?
  /// The accepted staleness in seconds.
  ///
  /// A directive without an argument has the value ``maximumSeconds``.
  var maxStale: Int64?
  var minFresh: Int64?
  var onlyIfCached = false

  /// Creates an empty set of directives.
  init() {}

  /// Parses the fields of a message.
  init(_ headers: HTTPHeaders) {
    for field in headers.fields where HTTPHeaders.areNamesEqual(field.name, "Cache-Control") {
      Self.parse(field.value) { name, argument in apply(name, argument) }
    }
  }

  /// Parses the fields of a request.
  ///
  /// Without `Cache-Control`, `Pragma: no-cache` counts as the directive `no-cache`.
  ///
  /// Source: RFC 9111 section 5.4.
  init(ofRequest headers: HTTPHeaders) {
    self.init(headers)
    guard headers.contains("Pragma"), !headers.contains("Cache-Control") else { return }
    for value in headers.values(for: "Pragma") {
      Self.parse(value) { name, _ in if name == "no-cache" { noCache = true } }
    }
  }

  private mutating func apply(_ name: String, _ argument: String?) {
    switch name {
    case "max-age": maxAge = min(maxAge ?? .max, Self.seconds(argument) ?? 0)
    case "no-store": noStore = true
    case "no-cache":
      let fields = argument.map(Self.names) ?? []
      if fields.isEmpty { noCache = true } else { noCacheFields += fields }
    case "public": isPublic = true
    case "must-revalidate": mustRevalidate = true
    case "immutable": immutable = true
    case "must-understand": mustUnderstand = true
    case "stale-while-revalidate":
      staleWhileRevalidate = min(staleWhileRevalidate ?? .max, Self.seconds(argument) ?? 0)
    case "stale-if-error": staleIfError = min(staleIfError ?? .max, Self.seconds(argument) ?? 0)
    case "max-stale":
      let accepted = argument == nil ? Self.maximumSeconds : Self.seconds(argument) ?? 0
      maxStale = min(maxStale ?? .max, accepted)
    case "min-fresh":
      minFresh = max(minFresh ?? 0, Self.seconds(argument) ?? Self.maximumSeconds)
    case "only-if-cached": onlyIfCached = true
    default: break
    }
  }

  /// Parses a number of seconds, or returns `nil` if it is missing or not a number.
  static func seconds(_ text: String?) -> Int64? {
    guard let text, !text.isEmpty else { return nil }
    var value: Int64 = 0
    for byte in text.utf8 {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      value = min(value * 10 + Int64(byte - UInt8(ascii: "0")), maximumSeconds)
    }
    return value
  }

  /// Parses a list of field names.
  ///
  /// The result is empty if one of them is not a token, so that the directive applies to the whole
  /// response.
  private static func names(_ text: String) -> [String] {
    let names = text.listMembers
    return names.allSatisfy(\.isToken) ? names : []
  }

  /// Parses a list of directives, in one pass.
  ///
  /// A member that is not a directive is skipped up to the next comma.
  ///
  /// - Parameters:
  ///   - text: The field value.
  ///   - body: A closure that receives each name in lower case, and its argument without quotes.
  private static func parse(_ text: String, _ body: (_ name: String, _ argument: String?) -> Void) {
    var rest = text.utf8[...]
    while !rest.isEmpty {
      let member = rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
      rest = rest[member.endIndex...]
      let argument = rest.popFirst() == UInt8(ascii: "=") ? readArgument(&rest) : nil
      let name = Substring(member.trimmed).lowercased()
      if !name.isEmpty { body(name, argument) }
    }
  }

  /// Reads a token or a quoted string, and moves behind the next comma.
  private static func readArgument(_ rest: inout Substring.UTF8View) -> String {
    var argument: String?
    rest = rest.drop { $0 == UInt8(ascii: " ") }
    if rest.first == UInt8(ascii: "\"") {
      rest.removeFirst()
      var content: [UInt8] = []
      while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
        content.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
      }
      argument = String(decoding: content, as: UTF8.self)
    }
    let token = rest.prefix { $0 != UInt8(ascii: ",") }
    rest = rest[token.endIndex...].dropFirst()
    return argument ?? String(Substring(token.trimmed))
  }
}
