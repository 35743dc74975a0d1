import Foundation
import Mocking
import Networking

/// The preferences of a client for a response: its media types, the field `Prefer`, and the members
/// `__code`, `__example` and `__dynamic` of the query.
///
/// A member of the query has an effect if the field does not have the same preference. It is not taken for
/// a parameter of the document. A status that is no number is refused, and a value of `dynamic` other than
/// `true` and `false`.
///
/// Source: RFC 9110 section 12.5.1; RFC 7240.
struct RequestPreferences {
  /// The status that the client prefers.
  private(set) var status: Int?
  /// The name of an example.
  var example: String?
  /// Whether the body is made from the schema although there is an example.
  private(set) var isDynamic: Bool?
  /// The preference whose value cannot be parsed, with the values that can.
  private(set) var problem: (text: String, isStatus: Bool)?
  private let ranges: [(range: MediaType, quality: Double)]

  /// The members of a query that are preferences, as in Prism.
  static let queryNames: Set<String> = ["__code", "__example", "__dynamic"]

  /// Returns the `Accept` field of a request that has no other preferences, or `nil` for another request.
  ///
  /// An unusually long field is no key of a cache.
  static func accepted(by request: ReceivedRequest) -> String? {
    guard !request.headers.contains("Prefer"), !hasMembers(request) else { return nil }
    let accepted = request.headers["Accept"] ?? ""
    return accepted.utf8.count <= 256 ? accepted : nil
  }

  /// Returns whether the query may have members that are preferences, which few requests have.
  private static func hasMembers(_ request: ReceivedRequest) -> Bool {
    request.target.utf8.contains(UInt8(ascii: "_")) && request.target.contains("__")
  }

  /// Reads the preferences of a request.
  init(_ request: ReceivedRequest) {
    self.init(request.headers)
    guard Self.hasMembers(request) else { return }
    let query = request.query
    if status == nil, let text = query["__code"] { setStatus(text, of: "__code") }
    example = example ?? query["__example"]
    if isDynamic == nil, let text = query["__dynamic"] {
      // A browser sends a name without a value, too.
      setDynamic(text.isEmpty ? "true" : text, of: "__dynamic")
    }
  }

  private mutating func setStatus(_ text: String, of name: String) {
    status = Int(text)
    if status == nil { problem = ("\(name)=\(ReportFormatter.bounded(text))", true) }
  }

  private mutating func setDynamic(_ text: String, of name: String) {
    isDynamic = Bool(text)
    if isDynamic == nil { problem = ("\(name)=\(ReportFormatter.bounded(text))", false) }
  }

  init(_ headers: HTTPHeaders) {
    let accepted = headers.values(for: "Accept").joined(separator: ",")
    ranges = accepted.split(separator: ",").compactMap { part in
      guard let range = MediaType(part.trimmingCharacters(in: .whitespaces)) else { return nil }
      return (range, range.parameters["q"].flatMap(Double.init) ?? 1)
    }
    for part in headers.values(for: "Prefer").joined(separator: ",").split(whereSeparator: {
      ",;".contains($0)
    }) {
      let sides = part.split(separator: "=", maxSplits: 1).map {
        $0.trimmingCharacters(in: .whitespaces).trimmingCharacters(in: ["\""])
      }
      guard sides.count == 2 else { continue }
      switch sides[0].lowercased() {
      case "code": setStatus(sides[1], of: "Prefer: code")
      case "example": example = sides[1]
      case "dynamic": setDynamic(sides[1], of: "Prefer: dynamic")
      default: break
      }
    }
  }

  /// Returns the media type that the client likes best, or `nil` if it accepts none.
  ///
  /// Of types that the client likes equally, one that it names is chosen before one whose structured
  /// suffix it names, then the first one.
  func choose(from content: [ContractMedia]) -> ContractMedia? {
    guard !ranges.isEmpty else { return content.first }
    var best: (media: ContractMedia, quality: Double, isExact: Bool)?
    for media in content {
      let (quality, isExact) = quality(of: media.type)
      let isBetter =
        best.map { quality > $0.quality || quality == $0.quality && isExact && !$0.isExact }
      if isBetter ?? (quality > 0) { best = (media, quality, isExact) }
    }
    return best?.media
  }

  /// Returns the quality of the most specific range that a type matches, and whether it does without
  /// its structured suffix.
  private func quality(of type: MediaType) -> (quality: Double, isExact: Bool) {
    let isRange = type.type == "*" || type.subtype == "*"
    func rank(_ range: MediaType, _ quality: Double) -> Int? {
      let matches =
        isRange
        ? type.type == "*" || range.type == "*" || range.type == type.type
        : type.matchesIgnoringParameters(range)
      if matches { return range.type == "*" ? 0 : range.subtype == "*" ? 1 : 3 }
      // A client that refuses a type does not refuse those with its suffix.
      return quality > 0 && type.hasSuffix(of: range) ? 2 : nil
    }
    let ranked = ranges.compactMap { range, quality in
      rank(range, quality).map { (rank: $0, quality: quality) }
    }
    let best = ranked.max { $0.rank < $1.rank }
    return (best?.quality ?? 0, best?.rank != 2)
  }
}

extension MediaType {
  /// Returns whether this type is in a range, whatever the parameters.
  fileprivate func matchesIgnoringParameters(_ range: MediaType) -> Bool {
    (range.type == "*" || range.type == type) && (range.subtype == "*" || range.subtype == subtype)
  }

  /// Returns whether this type has the syntax of `application/json` or `application/xml` by its suffix,
  /// such as `application/hal+json`.
  ///
  /// Source: RFC 6838 section 4.2.8; RFC 6839 section 3.1; RFC 7303 section 4.2.
  fileprivate func hasSuffix(of range: MediaType) -> Bool {
    range.type == "application" && ["json", "xml"].contains(range.subtype)
      && subtype.hasSuffix("+" + range.subtype)
  }
}
