import Foundation
import Networking
import ProgramSupport

/// A format under test, and the trees that it must be able to encode.
struct TestedFormat {
  /// The shapes of a tree.
  enum Shape {
    /// Arrays and dictionaries in each other.
    case nested
    /// As `nested`, but dictionaries in an array begin with the same name, and there are no arrays of
    /// arrays.
    case rack
    /// Single values and arrays of them.
    case arrays
    /// Single values, and arrays and dictionaries of them.
    case flat
    /// Single values, and dictionaries of them.
    case dictionaries
  }

  let name: String
  let format: QueryFormat
  let shape: Shape
  /// The deepest level below a parameter of the root.
  var depth = 4
  /// The most elements of an array.
  var elements = 5
  /// The characters that names of the root and other names of fitting trees do not contain.
  var reserved = (root: "[].", nested: "[].")
  /// The separator that values of fitting trees do not contain in arrays and dictionaries.
  var separator = ""
  /// Whether trees of any kind are encoded, too: the rules of the decoder are those of the format.
  var hasAnyCase = true
  /// The characters that names of the root do not contain in trees of any kind, because the format sends
  /// them as given.
  var givenCharacters = ""

  static let all: [TestedFormat] = [
    TestedFormat(
      name: "php", format: .php, shape: .nested, depth: 8, reserved: ("[]. \0", "[]\0")),
    TestedFormat(
      name: "rails", format: .rails, shape: .rack, depth: 8, reserved: ("[]", "[]\n")),
    TestedFormat(
      name: "qs", format: .qs, shape: .nested, depth: 5, elements: 20, reserved: ("[]", "[]")),
    TestedFormat(name: "django", format: .django, shape: .arrays, reserved: ("", "")),
    TestedFormat(
      name: "standard", format: .standard, shape: .nested, reserved: ("[]. \0", "[]\0"),
      hasAnyCase: false),
    TestedFormat(name: "dotted", format: .dotted, shape: .nested, hasAnyCase: false),
    TestedFormat(name: "form", format: .form(), shape: .flat, reserved: ("", "")),
    TestedFormat(
      name: "formJoined", format: .form(explode: false), shape: .flat, reserved: ("", ","),
      separator: ","),
    TestedFormat(
      name: "spaceDelimited", format: .spaceDelimited, shape: .flat, reserved: ("", " "),
      separator: " "),
    TestedFormat(
      name: "pipeDelimited", format: .pipeDelimited, shape: .flat, reserved: ("", "|"),
      separator: "|"),
    TestedFormat(
      name: "deepObject", format: .deepObject, shape: .dictionaries, reserved: ("[]", "[]"),
      givenCharacters: "[]"),
  ]
}

/// A generator of trees and options for a format.
struct TreeGenerator {
  private static let pieces = [
    "a", "b", "Z9", "0", "1", "12", "/", "?", "#", "%", "%2F", "..", ".", " ", "+", "&", "=", "ü",
    "😀",
    "\0", "\r\n", "\n", "\t", "\"", "\\", "[", "]", "[]", "[0]", "[x]", "{", "@", ":", ";", "~",
    "*", "-",
    "_", "!", "'", "(", ")", "e\u{301}", "\u{FFFD}", ",", "|", "\u{80}", "\u{202E}", "\u{10FFFF}",
    "_",
    "constructor", "__proto__", "null", "true",
  ]

  private let tested: TestedFormat
  private let fits: Bool
  private var generator: SeededGenerator
  /// The number of names so far, which makes those of fitting trees unique.
  private var nameCount = 0
  /// The reciprocal of the probability of a name with critical characters in a tree of any kind.
  private var plainNames = 1

  init(_ tested: TestedFormat, fits: Bool, seed: UInt64) {
    self.tested = tested
    self.fits = fits
    generator = SeededGenerator(seed: seed)
  }

  private mutating func random(_ range: Range<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  private mutating func oneOf<Value>(_ values: [Value]) -> Value {
    values[random(0..<values.count)]
  }

  // MARK: Options

  /// Returns the format with random options, and the names of these options.
  mutating func format() -> (QueryFormat, Parameters) {
    var format = tested.format
    var options: Parameters = [:]
    func set(_ name: String, _ value: some Sendable) { options[name] = .string("\(value)") }
    format.bools = oneOf([.words, .digits])
    set("bools", format.bools)
    format.order = oneOf([.asGiven, .sorted])
    set("order", format.order)
    format.spaces = oneOf([nil, .plus, .percentEncoded])
    format.bytes = oneOf([.base64, .base64URL, .hexadecimal])
    set("bytes", format.bytes)
    switch random(0..<3) {
    case 0: set("nulls", "omitted")
    case 1:
      format.nulls = .empty
      set("nulls", "empty")
    default:
      format.nulls = .text("null")
      set("nulls", "null")
    }
    let dates: [(String, QueryFormat.Dates)] = [
      ("iso8601", .iso8601), ("iso8601WithMilliseconds", .iso8601WithMilliseconds), ("day", .day),
      ("secondsSince1970", .secondsSince1970), ("millisecondsSince1970", .millisecondsSince1970),
      ("secondsSince2001", .secondsSince2001), ("pattern", .pattern("dd.MM.yyyy'T'HH:mm")),
    ]
    let (name, style) = oneOf(dates)
    format.dates = style
    set("dates", name)
    return (format, options)
  }

  /// Returns the query or the form, which the generator chooses.
  mutating func text(of tree: Parameters, in format: QueryFormat) throws -> String {
    let builder = RequestBuilder(baseURL: "https://a.example")
    guard random(0..<2) == 0 else {
      let form = Request.post(
        "", parameters: tree, contentType: .formURLEncoded, .queryFormat(format))
      guard case .data(let data) = try builder.build(form).body else { return "" }
      return String(decoding: data, as: UTF8.self)
    }
    let query = Request.get("", parameters: tree, .queryFormat(format))
    return try builder.build(query).url.query() ?? ""
  }

  // MARK: Trees

  /// Returns a dictionary of parameters.
  mutating func root() -> Parameters {
    plainNames = oneOf([1, 4, 16, 64])
    var members: Parameters = [:]
    for _ in 0..<random(0..<5) {
      let name = name(isAtRoot: true)
      members[name] = value(depth: random(0..<4) == 0 ? tested.depth : 2, isJoined: false)
    }
    return members
  }

  private mutating func name(isAtRoot: Bool) -> String {
    if !fits, random(0..<plainNames) > 0 { return oneOf(["a", "b", "c", "0", "1", "7", "x-y"]) }
    var name = ""
    for _ in 0..<random(0..<4) { name += oneOf(Self.pieces) }
    guard fits else {
      if isAtRoot {
        name.unicodeScalars.removeAll { tested.givenCharacters.unicodeScalars.contains($0) }
      }
      return name
    }
    let reserved = isAtRoot ? tested.reserved.root : tested.reserved.nested
    name.unicodeScalars.removeAll { reserved.unicodeScalars.contains($0) }
    nameCount += 1
    return "n\(nameCount)\(name)"
  }

  private mutating func text(isJoined: Bool) -> String {
    var text = ""
    for _ in 0..<random(0..<5) { text += oneOf(Self.pieces) }
    guard fits, isJoined else { return text }
    text.unicodeScalars.removeAll { tested.separator.unicodeScalars.contains($0) }
    return text
  }

  private mutating func leaf(isJoined: Bool) -> Parameters {
    switch random(0..<12) {
    case 0: return nil
    case 1: return .bool(random(0..<2) == 0)
    case 2: return .int(.random(in: .min ... .max, using: &generator))
    case 3: return .int(random(-3..<4))
    case 4: return .double(.random(in: -1e9...1e9, using: &generator))
    case 5:
      let seconds = Double(random(0..<4_000_000_000_000)) / 1_000
      return .date(Date(timeIntervalSince1970: random(0..<2) == 0 ? seconds : seconds.rounded()))
    case 6:
      return .data(
        Data((0..<random(0..<6)).map { _ in UInt8.random(in: 0...255, using: &generator) }))
    default: return .string(text(isJoined: isJoined))
    }
  }

  /// Returns a value of at most a number of levels.
  private mutating func value(depth: Int, isJoined: Bool) -> Parameters {
    guard depth > 0, random(0..<3) > 0 else { return leaf(isJoined: isJoined) }
    guard fits else {
      return random(0..<2) == 0 ? array(depth: depth) : dictionary(depth: depth)
    }
    switch tested.shape {
    case .nested, .rack: return random(0..<2) == 0 ? array(depth: depth) : dictionary(depth: depth)
    case .arrays: return array(depth: 1)
    case .flat: return random(0..<2) == 0 ? array(depth: 1) : dictionary(depth: 1)
    case .dictionaries: return dictionary(depth: 1)
    }
  }

  private mutating func array(depth: Int) -> Parameters {
    let limit = fits ? tested.elements : tested.elements + 2
    let count = depth == 1 && random(0..<4) == 0 ? limit : random(0..<5)
    guard fits, tested.shape == .rack else {
      let isJoined = !tested.separator.isEmpty
      return .array((0..<count).map { _ in value(depth: depth - 1, isJoined: isJoined) })
    }
    // Rack begins a new element where the first name of a dictionary occurs again.
    let first = name(isAtRoot: false)
    return .array(
      (0..<count).map { _ in
        guard depth > 1, random(0..<2) == 0 else { return leaf(isJoined: false) }
        var element: Parameters = [first: .string(text(isJoined: false))]
        for _ in 0..<random(0..<3) {
          // After the first name also in the order of sorted names.
          element["\u{10FFFF}" + name(isAtRoot: false)] = value(depth: depth - 2, isJoined: false)
        }
        return element
      })
  }

  private mutating func dictionary(depth: Int) -> Parameters {
    var members: Parameters = [:]
    for _ in 0..<random(0..<5) {
      let isJoined = !tested.separator.isEmpty
      members[name(isAtRoot: false)] = value(depth: depth - 1, isJoined: isJoined)
    }
    return members
  }
}

extension Parameters {
  /// The tree with the kind of each value, for JSON.
  var described: Parameters {
    switch self {
    case .null: ["n"]
    case .bool(let value): ["b", .bool(value)]
    case .int(let value): ["i", .int(value)]
    case .decimal(let value): ["s", .string(value.description)]
    case .double(let value): ["d", .double(value)]
    case .string(let value): ["s", .string(value)]
    case .data(let value): ["x", .string(value.base64EncodedString())]
    case .date(let value): ["t", .double(value.timeIntervalSince1970)]
    case .array(let values): ["a", .array(values.map(\.described))]
    case .dictionary(let members):
      ["o", .array(members.map { [.string($0.name), $0.value.described] })]
    }
  }
}
