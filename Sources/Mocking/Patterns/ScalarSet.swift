import Networking

/// A set of Unicode scalars: a class of a regular expression, such as `[a-z]` or `\d`.
package struct ScalarSet: Sendable {
  /// A part of a class.
  enum Item: Sendable {
    case range(ClosedRange<Unicode.Scalar>)
    case property(Property)
    /// All scalars without a property.
    case noProperty(Property)
  }

  /// A property of scalars in the Unicode Character Database.
  enum Property: Sendable {
    case digit
    /// The characters of words.
    ///
    /// Source: Unicode Technical Standard 18, annex C.
    case word
    case whitespace
    case alphabetic
    case uppercase
    case lowercase
    case categories(Set<Unicode.GeneralCategory>)

    func contains(_ scalar: Unicode.Scalar) -> Bool {
      let properties = scalar.properties
      switch self {
      case .digit: return properties.generalCategory == .decimalNumber
      case .word:
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation:
          return true
        default: return properties.isAlphabetic || scalar.value == 0x200C || scalar.value == 0x200D
        }
      case .whitespace: return properties.isWhitespace
      case .alphabetic: return properties.isAlphabetic
      case .uppercase: return properties.isUppercase
      case .lowercase: return properties.isLowercase
      case .categories(let categories): return categories.contains(properties.generalCategory)
      }
    }
  }

  private let items: [Item]
  private let isNegated: Bool
  private let ignoresCase: Bool
  /// The ASCII scalars of the set.
  private(set) var ascii = ASCIISet()

  /// Creates a set.
  ///
  /// - Parameters:
  ///   - items: The parts of the class.
  ///   - isNegated: Whether the set has all other scalars instead.
  ///   - ignoresCase: Whether a scalar is in the set if its lowercase or uppercase form is.
  init(_ items: [Item], isNegated: Bool = false, ignoresCase: Bool = false) {
    var items = items
    if ignoresCase {
      // Adds the folded form of single scalars, so that `[\u212A]`, the Kelvin sign, matches `k`.
      for case .range(let range) in items where range.lowerBound == range.upperBound {
        let folded = range.lowerBound.folded
        items.append(.range(folded...folded))
      }
    }
    self.items = items
    self.isNegated = isNegated
    self.ignoresCase = ignoresCase
    for value in UInt8(0)..<128 where find(Unicode.Scalar(value)) {
      ascii.insert(Unicode.Scalar(value))
    }
  }

  /// The first scalar of the ranges of the set.
  ///
  /// `nil` for a set without ranges, and for one that has all other scalars.
  package var firstOfRanges: Unicode.Scalar? {
    guard !isNegated else { return nil }
    return items.compactMap { item in
      if case .range(let range) = item { range.lowerBound } else { nil }
    }.min()
  }

  /// Returns whether a scalar is in the set.
  package func contains(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII ? ascii.contains(scalar) : find(scalar)
  }

  private func find(_ scalar: Unicode.Scalar) -> Bool {
    // The scalar itself is tested first, because its other forms are slow to find.
    let isIncluded =
      includes(scalar) || ignoresCase && scalar.caseForms.contains { includes($0) }
    return isIncluded != isNegated
  }

  private func includes(_ scalar: Unicode.Scalar) -> Bool {
    items.contains { item in
      switch item {
      case .range(let range): range.contains(scalar)
      case .property(let property): property.contains(scalar)
      case .noProperty(let property): !property.contains(scalar)
      }
    }
  }
}

extension ScalarSet {
  /// The scalars that end a line.
  ///
  /// Source: Unicode Technical Standard 18, section 1.6.
  static let lineBreaks = ScalarSet([
    .range("\n"..."\r"), .range("\u{85}"..."\u{85}"), .range("\u{2028}"..."\u{2029}"),
  ])
  static let notLineBreaks = ScalarSet(
    [
      .range("\n"..."\r"), .range("\u{85}"..."\u{85}"), .range("\u{2028}"..."\u{2029}"),
    ], isNegated: true)
  static let all = ScalarSet([], isNegated: true)
  static let word = ScalarSet([.property(.word)])

  /// Returns the parts of a POSIX class, such as `alpha`, or `nil` for an unknown name.
  static func items(ofPOSIXClass name: String) -> [Item]? {
    switch name {
    case "alnum": [.property(.alphabetic), .property(.digit)]
    case "alpha": [.property(.alphabetic)]
    case "blank": [.range("\t"..."\t"), .property(.categories([.spaceSeparator]))]
    case "cntrl": [.property(.categories([.control]))]
    case "digit": [.property(.digit)]
    case "lower": [.property(.lowercase)]
    case "punct": categories(named: "P").map { [.property(.categories($0))] }
    case "space": [.property(.whitespace)]
    case "upper": [.property(.uppercase)]
    case "word": [.property(.word)]
    case "xdigit": [.range("0"..."9"), .range("a"..."f"), .range("A"..."F")]
    default: nil
    }
  }

  /// Returns the general categories with a name, such as `Lu`, or of a group, such as `L`.
  static func categories(named name: String) -> Set<Unicode.GeneralCategory>? {
    let isGroup = name.utf8.count == 1
    let found = categories.filter { isGroup ? $0.key.hasPrefix(name) : $0.key == name }
    return found.isEmpty ? nil : Set(found.values)
  }

  private static let categories: [String: Unicode.GeneralCategory] = [
    "Lu": .uppercaseLetter, "Ll": .lowercaseLetter, "Lt": .titlecaseLetter,
    "Lm": .modifierLetter, "Lo": .otherLetter, "Mn": .nonspacingMark, "Mc": .spacingMark,
    "Me": .enclosingMark, "Nd": .decimalNumber, "Nl": .letterNumber, "No": .otherNumber,
    "Pc": .connectorPunctuation, "Pd": .dashPunctuation, "Ps": .openPunctuation,
    "Pe": .closePunctuation, "Pi": .initialPunctuation, "Pf": .finalPunctuation,
    "Po": .otherPunctuation, "Sm": .mathSymbol, "Sc": .currencySymbol, "Sk": .modifierSymbol,
    "So": .otherSymbol, "Zs": .spaceSeparator, "Zl": .lineSeparator, "Zp": .paragraphSeparator,
    "Cc": .control, "Cf": .format, "Cs": .surrogate, "Co": .privateUse, "Cn": .unassigned,
  ]
}

extension Unicode.Scalar {
  /// The scalar and its simple case mappings.
  var caseForms: [Unicode.Scalar] {
    let properties = properties
    let mappings = [
      properties.lowercaseMapping, properties.uppercaseMapping, properties.titlecaseMapping,
    ]
    return [self, folded] + mappings.compactMap(\.onlyScalar)
  }

  /// The lowercase form of the uppercase form, which is the same for all cases of a letter.
  var folded: Unicode.Scalar {
    let upper = properties.uppercaseMapping.onlyScalar ?? self
    return upper.properties.lowercaseMapping.onlyScalar ?? upper
  }
}

extension String {
  /// The scalar of a text with one scalar, otherwise `nil`.
  fileprivate var onlyScalar: Unicode.Scalar? {
    var scalars = unicodeScalars.makeIterator()
    guard let first = scalars.next(), scalars.next() == nil else { return nil }
    return first
  }
}

/// A set of ASCII scalars, as a bitmap.
struct ASCIISet: Sendable, Hashable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  /// Adds a scalar, unless it is not ASCII.
  mutating func insert(_ scalar: Unicode.Scalar) {
    guard scalar.isASCII else { return }
    let bit: UInt64 = 1 << UInt64(scalar.value & 63)
    if scalar.value < 64 { low |= bit } else { high |= bit }
  }

  mutating func formUnion(_ other: ASCIISet) {
    low |= other.low
    high |= other.high
  }

  /// Returns whether an ASCII scalar is in the set.
  func contains(_ scalar: Unicode.Scalar) -> Bool {
    (scalar.value < 64 ? low : high) >> UInt64(scalar.value & 63) & 1 == 1
  }
}
