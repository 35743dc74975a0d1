import Foundation
import Mocking
import Networking

/// A function of a template, which generates a value.
enum TemplateFunction: String, Sendable, CaseIterable {
  case uuid, now, counter, randomInt, randomDouble, randomText, randomHex, randomBool, pick, range

  /// The names of the arguments in order.
  ///
  /// Empty if they have no names.
  var argumentNames: [String] {
    switch self {
    case .now: ["offset", "format"]
    case .counter: ["name", "from"]
    case .randomInt, .randomDouble: ["min", "max"]
    case .randomText, .randomHex: ["length"]
    case .uuid, .randomBool, .pick, .range: []
    }
  }

  /// A call of the function, for error messages.
  private var usage: String {
    switch self {
    case .uuid: "uuid()"
    case .now: "now(offset: \"2 h\", format: \"iso\")"
    case .counter: "counter(\"orders\", from: 1)"
    case .randomInt: "randomInt(1, 6)"
    case .randomDouble: "randomDouble(0, 1)"
    case .randomText: "randomText(8)"
    case .randomHex: "randomHex(16)"
    case .randomBool: "randomBool()"
    case .pick: "pick(\"red\", \"green\") or pick(list)"
    case .range: "range(1, 5)"
    }
  }

  /// Returns the error in the arguments of a call, or `nil` if they are valid.
  func problem(with arguments: [TemplateExpression]) -> String? {
    let counts: ClosedRange<Int> =
      switch self {
      case .uuid, .randomBool: 0...0
      case .now, .counter: 0...2
      case .randomInt, .randomDouble, .range: 2...2
      case .randomText, .randomHex: 1...1
      case .pick: 1...Int.max
      }
    guard counts.contains(arguments.count) else { return "expected \(usage)" }
    guard self == .now else { return nil }
    for (index, argument) in arguments.enumerated() where argument != .literal(.null) {
      guard case .literal(.string(let text)) = argument else {
        return "expected \(usage): the arguments of now are texts in quotation marks"
      }
      if index == 0, TemplateDate.offset(text) == nil {
        return "expected an offset such as \"2 h\", \"-30 min\" or \"+3 days\", found \"\(text)\""
      }
      if index == 1, TemplateDate.Format(text) == nil {
        return "expected a format: \(TemplateDate.Format.names), "
          + "or a text such as \"%Y-%m-%d %H:%M:%S\", found \"\(text)\""
      }
    }
    return nil
  }

  /// Returns the text of a UUID in lower case.
  private static func text(of uuid: UUID) -> String {
    let digits: StaticString = "0123456789abcdef"
    return withUnsafeBytes(of: uuid.uuid) { bytes in
      String(unsafeUninitializedCapacity: 36) { text in
        var end = 0
        for (index, byte) in bytes.enumerated() {
          if index == 4 || index == 6 || index == 8 || index == 10 {
            text[end] = UInt8(ascii: "-")
            end += 1
          }
          text[end] = digits.utf8Start[Int(byte >> 4)]
          text[end + 1] = digits.utf8Start[Int(byte & 15)]
          end += 2
        }
        return end
      }
    }
  }

  /// Returns the value of a call.
  ///
  /// - Parameters:
  ///   - arguments: The values of the arguments.
  ///   - rendering: The state of the rendering.
  /// - Returns: The value, or `null` if an argument has the wrong type.
  /// - Throws: ``TemplateRenderError`` if a list is too long.
  func value(
    _ arguments: [JSON], _ rendering: inout TemplateRendering
  ) throws(TemplateRenderError) -> JSON {
    let values = rendering.values
    switch self {
    case .uuid: return .string(Self.text(of: values.uuid()))
    case .now:
      let offset = arguments.first?.string.flatMap { TemplateDate.offset($0) } ?? 0
      let format = arguments.count > 1 ? arguments[1].string : nil
      return (format.flatMap { TemplateDate.Format($0) } ?? .iso)
        .value(of: values.now.timeIntervalSince1970 + offset)
    case .counter:
      let first = arguments.count > 1 ? arguments[1].asInteger : nil
      let name = try rendering.work.text(of: arguments.first ?? "")
      return .int(values.counter(name, from: first ?? 1))
    case .randomInt:
      guard let least = arguments[0].asInteger, let most = arguments[1].asInteger, least <= most
      else { return .null }
      return .int(values.int(in: least...most))
    case .randomDouble:
      guard let least = arguments[0].asNumber, let most = arguments[1].asNumber, least <= most
      else { return .null }
      return .double(values.double(in: least...most))
    case .randomText, .randomHex:
      let length = min(max(arguments[0].asInteger ?? 0, 0), TemplateValues.maximumTextLength)
      try rendering.work.charge(8, times: length)
      return .string(
        self == .randomText
          ? values.text(length: length) : values.text(length, of: "0123456789abcdef"))
    case .randomBool: return .bool(values.bool())
    case .pick:
      if arguments.count == 1, case .array(let elements) = arguments[0] {
        return values.pick(elements) ?? .null
      }
      return values.pick(arguments) ?? .null
    case .range:
      guard let first = arguments[0].asInteger, let last = arguments[1].asInteger, first <= last
      else { return .array([]) }
      let (span, isTooLong) = last.subtractingReportingOverflow(first)
      guard !isTooLong, span < TemplateRendering.loopLimit else { throw .tooManyElements }
      try rendering.work.charge(JSON.elementSize, times: span + 1)
      return .array((first...last).map { .int($0) })
    }
  }
}

/// The offsets and the formats of dates in templates.
enum TemplateDate {
  private static let units: [String: Double] = [
    "ms": 0.001, "s": 1, "sec": 1, "second": 1, "seconds": 1, "min": 60, "minute": 60,
    "minutes": 60, "h": 3_600, "hour": 3_600, "hours": 3_600, "d": 86_400, "day": 86_400,
    "days": 86_400, "w": 604_800, "week": 604_800, "weeks": 604_800,
  ]

  /// Parses an offset such as `-30 min`, in seconds.
  ///
  /// Returns `nil` if it is malformed or longer than 100,000 days.
  static func offset(_ text: String) -> Double? {
    var rest = text.filter { $0 != " " }[...]
    var sign = 1.0
    if let first = rest.first, first == "-" || first == "+" {
      sign = first == "-" ? -1 : 1
      rest = rest.dropFirst()
    }
    let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let first = number.utf8.first, first != UInt8(ascii: "."), let amount = Double(number),
      let unit = units[String(rest.dropFirst(number.count))], amount * unit <= 8_640_000_000
    else { return nil }
    return sign * amount * unit
  }

  /// A format of a date, in UTC.
  enum Format: Hashable {
    /// ISO 8601, to the second: `2025-01-01T00:00:00Z`.
    case iso
    /// ISO 8601, to the millisecond: `2025-01-01T00:00:00.000Z`.
    case isoMilliseconds
    case date
    case time
    /// The date of HTTP header fields.
    case http
    /// The number of seconds since 1970.
    case unix
    /// The number of milliseconds since 1970.
    case unixMilliseconds
    /// Directives of `strftime`.
    case pattern(String)

    static let names = "iso, isoms, date, time, http, unix, unixms"

    init?(_ text: String) {
      switch text {
      case "iso": self = .iso
      case "isoms": self = .isoMilliseconds
      case "date": self = .date
      case "time": self = .time
      case "http": self = .http
      case "unix": self = .unix
      case "unixms": self = .unixMilliseconds
      default:
        guard text.contains("%") else { return nil }
        var directives = text.utf8.split(
          separator: UInt8(ascii: "%"), omittingEmptySubsequences: false
        ).dropFirst()
        while let directive = directives.popFirst() {
          // `%%` splits into an empty part and the text after it.
          if directive.isEmpty {
            guard directives.popFirst() != nil else { return nil }
          } else if directive.first.map({ !Self.directives.utf8.contains($0) }) ?? true {
            return nil
          }
        }
        self = .pattern(text)
      }
    }

    private static let directives = "YmdHMSLjabs"

    /// Returns the date as a value: a number for the formats since 1970, and otherwise a string.
    func value(of seconds: Double) -> JSON {
      let milliseconds = Int64((seconds * 1_000).rounded(.down))
      switch self {
      case .iso: return .string(Self.text("%Y-%m-%dT%H:%M:%SZ", milliseconds))
      case .isoMilliseconds: return .string(Self.text("%Y-%m-%dT%H:%M:%S.%LZ", milliseconds))
      case .date: return .string(Self.text("%Y-%m-%d", milliseconds))
      case .time: return .string(Self.text("%H:%M:%S", milliseconds))
      case .http: return .string(HTTPDate.text(of: Date(timeIntervalSince1970: seconds)))
      case .unix: return Self.number(Self.floor(milliseconds, 1_000))
      case .unixMilliseconds: return Self.number(milliseconds)
      case .pattern(let pattern): return .string(Self.text(pattern, milliseconds))
      }
    }

    private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
      value >= 0 ? value / divisor : (value + 1) / divisor - 1
    }

    /// Returns a number as a value.
    ///
    /// A 32-bit `Int` cannot represent every date.
    private static func number(_ value: Int64) -> JSON {
      Int(exactly: value).map(JSON.int) ?? .double(Double(value))
    }

    private static let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    /// Formats a date with the directives of `strftime` in the C locale.
    private static func text(_ pattern: String, _ milliseconds: Int64) -> String {
      var fields = tm()
      var seconds = time_t(floor(milliseconds, 1_000))
      gmtime_r(&seconds, &fields)
      func append(_ number: some BinaryInteger, _ width: Int, to text: inout [UInt8]) {
        // Fast path: two digits.
        if width == 2, (0..<100).contains(number) {
          let number = UInt8(number)
          text.append(UInt8(ascii: "0") + number / 10)
          text.append(UInt8(ascii: "0") + number % 10)
          return
        }
        let digits = String(number).utf8
        for _ in 0..<max(width - digits.count, 0) { text.append(UInt8(ascii: "0")) }
        text += digits
      }
      var text: [UInt8] = []
      text.reserveCapacity(32)
      var bytes = pattern.utf8.makeIterator()
      while let byte = bytes.next() {
        guard byte == UInt8(ascii: "%"), let directive = bytes.next() else {
          text.append(byte)
          continue
        }
        switch directive {
        case UInt8(ascii: "Y"): append(Int(fields.tm_year) + 1_900, 4, to: &text)
        case UInt8(ascii: "m"): append(Int(fields.tm_mon) + 1, 2, to: &text)
        case UInt8(ascii: "d"): append(Int(fields.tm_mday), 2, to: &text)
        case UInt8(ascii: "H"): append(Int(fields.tm_hour), 2, to: &text)
        case UInt8(ascii: "M"): append(Int(fields.tm_min), 2, to: &text)
        case UInt8(ascii: "S"): append(Int(fields.tm_sec), 2, to: &text)
        case UInt8(ascii: "L"):
          append(milliseconds - floor(milliseconds, 1_000) * 1_000, 3, to: &text)
        case UInt8(ascii: "j"): append(Int(fields.tm_yday) + 1, 3, to: &text)
        case UInt8(ascii: "a"): text += weekdays[Int(fields.tm_wday)].utf8
        case UInt8(ascii: "b"): text += months[Int(fields.tm_mon)].utf8
        case UInt8(ascii: "s"): append(floor(milliseconds, 1_000), 1, to: &text)
        default: text.append(directive)
        }
      }
      return String(decoding: text, as: UTF8.self)
    }
  }
}
