import Foundation

/// The style of the names and values in a query or a form.
///
/// A query or a form is a flat list of fields, and ``Parameters`` are a tree. Servers expect
/// different names for array elements and nested members, and different texts for Booleans, dates
/// and `null`:
///
/// ```swift
/// QueryEncoder(naming: FieldNaming(arrays: .repeated, bools: .digits))   // tag=a&tag=b&open=1
/// ```
public struct FieldNaming: Sendable, Hashable {
  /// The style of the names of array elements.
  public enum Arrays: Sendable, Hashable {
    /// `tags[]=a&tags[]=b`
    case brackets
    /// `tags=a&tags=b`
    case repeated
    /// `tags[0]=a&tags[1]=b`
    case indices
  }

  /// The style of the names of members of nested dictionaries.
  public enum Nesting: Sendable, Hashable {
    /// `filter[owner]=me`
    case brackets
    /// `filter.owner=me`
    case dots
  }

  /// The texts for Booleans.
  public enum Bools: Sendable, Hashable {
    /// `true` and `false`
    case words
    /// `1` and `0`
    case digits
  }

  /// The texts for dates.
  public enum Dates: Sendable, Hashable {
    /// The date and the time in UTC without fractions of a second, such as `2024-05-01T12:00:00Z`.
    ///
    /// A date outside the years 1 to 9999 cannot be encoded.
    case iso8601
    /// The number of seconds since the start of 1970, such as `1714564800` or `1714564800.5`.
    case secondsSince1970
    /// The number of milliseconds since the start of 1970, rounded to an integer.
    case millisecondsSince1970
  }

  /// The treatment of `null`.
  public enum Nulls: Sendable, Hashable {
    /// The field is omitted.
    case omitted
    /// The field is sent with an empty value.
    case empty
  }

  /// The style of the names of array elements.
  public var arrays: Arrays
  /// The style of the names of members of nested dictionaries.
  public var nesting: Nesting
  /// The texts for Booleans.
  public var bools: Bools
  /// The treatment of `null`.
  public var nulls: Nulls
  /// The texts for dates.
  public var dates: Dates

  /// Creates a style.
  ///
  /// - Parameters:
  ///   - arrays: The style of the names of array elements.
  ///   - nesting: The style of the names of members of nested dictionaries.
  ///   - bools: The texts for Booleans.
  ///   - nulls: The treatment of `null`.
  ///   - dates: The texts for dates.
  public init(
    arrays: Arrays = .brackets, nesting: Nesting = .brackets, bools: Bools = .words,
    nulls: Nulls = .omitted, dates: Dates = .iso8601
  ) {
    self.arrays = arrays
    self.nesting = nesting
    self.bools = bools
    self.nulls = nulls
    self.dates = dates
  }
}

extension FieldNaming {
  /// Calls a closure for each leaf of a tree, in order, with the name of its field.
  ///
  /// `null` is skipped unless ``nulls`` is ``Nulls/empty``. Empty arrays and dictionaries have no
  /// leaves.
  ///
  /// - Throws: ``ParameterEncodingError`` if the root is neither a dictionary nor `null`, or if the
  ///   tree is too deep. Rethrows the errors of `visit`.
  func forEachLeaf(
    of parameters: Parameters, _ visit: (_ name: String, _ leaf: Parameters) throws -> Void
  ) throws {
    switch parameters {
    case .null: break
    case .dictionary(let members):
      for member in members { try forEachLeaf(of: member.value, member.name, 0, visit) }
    default:
      throw ParameterEncodingError(
        keyPath: "", reason: "must be a dictionary to be encoded as a query or a form")
    }
  }

  private func forEachLeaf(
    of value: Parameters, _ name: String, _ depth: Int,
    _ visit: (_ name: String, _ leaf: Parameters) throws -> Void
  ) throws {
    guard depth < ParameterEncodingError.depthLimit else {
      throw ParameterEncodingError.tooDeep(name)
    }
    switch value {
    case .array(let values):
      for (position, value) in values.enumerated() {
        let name =
          switch arrays {
          case .brackets: "\(name)[]"
          case .repeated: name
          case .indices: "\(name)[\(position)]"
          }
        try forEachLeaf(of: value, name, depth + 1, visit)
      }
    case .dictionary(let members):
      for member in members {
        let name = nesting == .dots ? "\(name).\(member.name)" : "\(name)[\(member.name)]"
        try forEachLeaf(of: member.value, name, depth + 1, visit)
      }
    case .null where nulls == .omitted: break
    default: try visit(name, value)
    }
  }

  /// Returns the text of a leaf.
  ///
  /// Data becomes Base64.
  ///
  /// - Throws: ``ParameterEncodingError`` with the name if the leaf is a number that is not finite, or
  ///   a date out of range.
  func text(of leaf: Parameters, name: String) throws -> String {
    switch leaf {
    case .bool(let value): return bools == .words ? "\(value)" : value ? "1" : "0"
    case .int(let value): return value.description
    case .decimal(let value) where !value.isNaN: return value.description
    case .double(let value) where value.isFinite: return value.description
    case .decimal, .double: throw ParameterEncodingError.notFinite(name)
    case .string(let value): return value
    case .data(let value): return value.base64EncodedString()
    case .date(let value):
      guard let text = dates.text(of: value) else {
        throw ParameterEncodingError(keyPath: name, reason: "is a date out of range")
      }
      return text
    case .null, .array, .dictionary: return ""
    }
  }

  /// Returns the percent-encoded fields, such as `name=value&name=value`.
  ///
  /// - Throws: ``ParameterEncodingError`` as for `forEachLeaf(of:_:)` and `text(of:name:)`.
  func encodedFields(
    of parameters: Parameters, with encoding: PercentEncoding
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachLeaf(of: parameters) { name, leaf in
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
      encoding.append(name, to: &bytes)
      bytes.append(UInt8(ascii: "="))
      encoding.append(try text(of: leaf, name: name), to: &bytes)
    }
    return bytes
  }
}

extension FieldNaming.Dates {
  /// Returns the text of a date, or `nil` for a date out of range.
  fileprivate func text(of date: Date) -> String? {
    switch self {
    case .iso8601: date.iso8601Text
    case .secondsSince1970: Self.text(of: date.timeIntervalSince1970)
    case .millisecondsSince1970: Self.text(of: (date.timeIntervalSince1970 * 1_000).rounded())
    }
  }

  /// Returns a finite number without the fraction of an integer.
  private static func text(of number: Double) -> String? {
    guard number.isFinite else { return nil }
    return Int64(exactly: number)?.description ?? number.description
  }
}

extension Date {
  /// The date and the time in UTC without fractions of a second, such as `2024-05-01T12:00:00Z`.
  ///
  /// `nil` for a date outside the years 1 to 9999. All years are in the Gregorian calendar, while
  /// Foundation uses the Julian calendar before 1582.
  ///
  /// Source: RFC 3339 section 5.6.
  var iso8601Text: String? {
    guard (-62_135_596_800..<253_402_300_800).contains(timeIntervalSince1970) else { return nil }
    let seconds = Int(timeIntervalSince1970.rounded(.down))
    // Days since 1 March of year 0, so that the leap day is the last day of a year.
    let days = (seconds + 62_162_035_200) / 86_400
    // Leap years repeat every 400 years.
    let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = 400 * era + yearOfEra + (month <= 2 ? 1 : 0)
    let time = (seconds + 62_162_035_200) % 86_400
    return String(
      format: "%04d-%02d-%02dT%02d:%02d:%02dZ", year, month, day, time / 3_600, time / 60 % 60,
      time % 60)
  }
}
