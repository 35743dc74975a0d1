import CatenaSystem
import Foundation
import Networking

/// Formats of names and addresses in networks.
///
/// Source: RFC 1123, RFC 3986, RFC 3987, RFC 4291, RFC 5321, RFC 5890 to 5892, RFC 6570.
enum NetworkFormat {
  // MARK: Hosts

  static func isHostname(_ text: String, isInternational: Bool) -> Bool {
    // These are full stops in internationalized names.
    let separators: Set<Unicode.Scalar> =
      isInternational ? [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"] : ["."]
    let labels = text.unicodeScalars.split(omittingEmptySubsequences: false) {
      separators.contains($0)
    }
    guard !text.isEmpty, text.utf8.count <= 253 else { return false }
    return labels.allSatisfy { isLabel(String($0), isInternational: isInternational) }
  }

  private static func isLabel(_ label: String, isInternational: Bool) -> Bool {
    let scalars = Array(label.unicodeScalars)
    guard let first = scalars.first, let last = scalars.last, first != "-", last != "-" else {
      return false
    }
    let isASCII = scalars.allSatisfy(\.isASCII)
    if isASCII {
      guard scalars.count <= 63, scalars.allSatisfy({ $0 == "-" || isAlphanumeric($0) }) else {
        return false
      }
      let lower = label.lowercased()
      if lower.hasPrefix("xn--") {
        guard let decoded = Punycode.decode(lower.dropFirst(4)), !decoded.allSatisfy(\.isASCII)
        else {
          return false
        }
        return isULabel(decoded)
      }
      return !lower.dropFirst(2).hasPrefix("--")
    }
    guard isInternational, !(scalars.count > 3 && scalars[2] == "-" && scalars[3] == "-") else {
      return false
    }
    return isULabel(scalars) && label.utf8.count <= 63 * 2
  }

  private static func isAlphanumeric(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
  }

  /// Returns whether scalars are a label with characters beyond ASCII.
  private static func isULabel(_ scalars: [Unicode.Scalar]) -> Bool {
    guard let first = scalars.first, first.properties.generalCategory.isMark == false else {
      return false
    }
    if scalars.count > 3, scalars[2] == "-", scalars[3] == "-" { return false }
    var hasArabicIndic = false
    var hasExtendedArabicIndic = false
    for (index, scalar) in scalars.enumerated() {
      let before = index > 0 ? scalars[index - 1] : nil
      let after = index + 1 < scalars.count ? scalars[index + 1] : nil
      switch scalar.value {
      case 0x00B7: guard before == "l", after == "l" else { return false }
      case 0x0375:
        guard let after,
          (0x0370...0x03FF).contains(after.value) || (0x1F00...0x1FFF).contains(after.value)
        else { return false }
      case 0x05F3, 0x05F4:
        guard let before, (0x0590...0x05FF).contains(before.value) else { return false }
      case 0x30FB:
        guard scalars.contains(where: { $0.isKana || $0.isHan }) else { return false }
      case 0x0660...0x0669: hasArabicIndic = true
      case 0x06F0...0x06F9: hasExtendedArabicIndic = true
      case 0x200D, 0x200C:
        guard let before,
          before.properties.canonicalCombiningClass == .virama
            || scalar.value == 0x200C && before.properties.isAlphabetic
              && after?.properties.isAlphabetic == true && !before.isASCII
        else { return false }
      case 0x0640, 0x07FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: return false
      case 0x06FD, 0x06FE, 0x0F0B, 0x3007, 0x00DF, 0x03C2: break
      default:
        guard scalar == "-" || isAlphanumeric(scalar) || isAllowed(scalar) else { return false }
      }
    }
    return !(hasArabicIndic && hasExtendedArabicIndic)
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .lowercaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .nonspacingMark,
      .spacingMark:
      true
    default: false
    }
  }

  static func isIPv4(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        part.allSatisfy { (0x30...0x39).contains($0) } && (part.count == 1 || part.first != 0x30)
          && (1...3).contains(part.count) && Int(Substring(part)).map { $0 < 256 } == true
      }
  }

  static func isIPv6(_ text: String) -> Bool {
    var text = text
    var least = 8
    if let colon = text.lastIndex(of: ":"), text[colon...].contains(".") {
      guard isIPv4(String(text[text.index(after: colon)...])) else { return false }
      // The last four bytes are two groups.
      text = text[...colon] + "0:0"
    }
    let halves = text.split(separator: "::", maxSplits: 2, omittingEmptySubsequences: false)
    guard halves.count <= 2, !text.contains(":::") else { return false }
    var count = 0
    for half in halves where !half.isEmpty {
      for group in half.split(separator: ":", omittingEmptySubsequences: false) {
        guard (1...4).contains(group.utf8.count), group.utf8.allSatisfy({ $0.hexDigitValue != nil })
        else { return false }
        count += 1
      }
    }
    if halves.count == 2 {
      least = count
      return least <= 7
    }
    return count == 8
  }

  static func isEmail(_ text: String, isInternational: Bool) -> Bool {
    guard let at = text.lastIndex(of: "@") else { return false }
    let (local, domain) = (text[..<at], text[text.index(after: at)...])
    guard !local.isEmpty, isInternational || text.utf8.allSatisfy({ $0 < 0x80 }) else {
      return false
    }
    if domain.hasPrefix("["), domain.hasSuffix("]") {
      let address = String(domain.dropFirst().dropLast())
      guard address.hasPrefix("IPv6:") ? isIPv6(String(address.dropFirst(5))) : isIPv4(address)
      else { return false }
    } else if !isHostname(String(domain), isInternational: isInternational) {
      return false
    }
    if local.hasPrefix("\""), local.hasSuffix("\""), local.count > 1 { return isQuoted(local) }
    return local.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
      !atom.isEmpty
        && atom.unicodeScalars.allSatisfy {
          isAlphanumeric($0) || "!#$%&'*+-/=?^_`{|}~".unicodeScalars.contains($0)
            || isInternational && !$0.isASCII
        }
    }
  }

  private static func isQuoted(_ local: Substring) -> Bool {
    var isEscaped = false
    for character in local.dropFirst().dropLast() {
      if isEscaped {
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        return false
      }
    }
    return !isEscaped
  }

  // MARK: URIs

  static func isURI(_ text: String, isInternational: Bool, mayBeRelative: Bool) -> Bool {
    var rest = text[...]
    guard areURICharacters(rest, isInternational) else { return false }
    if let hash = rest.firstIndex(of: "#") {
      guard !rest[rest.index(after: hash)...].contains(where: { "#[]".contains($0) }) else {
        return false
      }
      rest = rest[..<hash]
    }
    let scheme = rest.prefix { !":/?".contains($0) }
    let hasScheme = scheme.endIndex < rest.endIndex && rest[scheme.endIndex] == ":"
    if hasScheme {
      guard let first = scheme.unicodeScalars.first, first.isASCII, first.properties.isAlphabetic,
        scheme.unicodeScalars.allSatisfy({ isAlphanumeric($0) || "+-.".unicodeScalars.contains($0) }
        )
      else { return false }
      rest = rest[rest.index(after: scheme.endIndex)...]
    } else if !mayBeRelative {
      return false
    }
    if let query = rest.firstIndex(of: "?") {
      guard !rest[query...].contains(where: { "[]".contains($0) }) else { return false }
      rest = rest[..<query]
    }
    guard rest.hasPrefix("//") else { return !rest.contains { "[]".contains($0) } }
    let authority = rest.dropFirst(2).prefix { $0 != "/" }
    guard !rest.dropFirst(2 + authority.count).contains(where: { "[]".contains($0) }) else {
      return false
    }
    return isAuthority(authority)
  }

  private static func isAuthority(_ authority: Substring) -> Bool {
    var host = authority
    if let at = host.lastIndex(of: "@") {
      guard !host[..<at].contains(where: { "[]@".contains($0) }) else { return false }
      host = host[host.index(after: at)...]
    }
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]") else { return false }
      let address = String(host[host.index(after: host.startIndex)..<end])
      guard isIPv6(address) || address.lowercased().hasPrefix("v") && address.contains(".") else {
        return false
      }
      host = host[host.index(after: end)...]
      guard host.isEmpty || host.hasPrefix(":") else { return false }
    } else if host.contains(where: { "[]".contains($0) }) {
      return false
    }
    guard let colon = host.firstIndex(of: ":") else { return true }
    return host[host.index(after: colon)...].utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  private static func areURICharacters(_ text: Substring, _ isInternational: Bool) -> Bool {
    let bytes = Array(text.utf8)
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "%"):
        guard index + 2 < bytes.count, bytes[index + 1].hexDigitValue != nil,
          bytes[index + 2].hexDigitValue != nil
        else { return false }
      case 0x80...: guard isInternational else { return false }
      case 0x00...0x20, 0x7F: return false
      default: if "\"<>\\^`{|}".utf8.contains(byte) { return false }
      }
    }
    return true
  }

  static func isURITemplate(_ text: String) -> Bool {
    var isInExpression = false
    var expression = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "{":
        guard !isInExpression else { return false }
        (isInExpression, expression) = (true, "")
      case "}":
        guard isInExpression, isExpression(expression) else { return false }
        isInExpression = false
      default:
        if isInExpression {
          expression.unicodeScalars.append(scalar)
        } else if scalar.value <= 0x20 || scalar.value == 0x7F
          || "\"<>\\^`|".unicodeScalars.contains(scalar)
        {
          return false
        }
      }
    }
    return !isInExpression
  }

  private static func isExpression(_ text: String) -> Bool {
    var variables = text[...]
    if let first = variables.first, "+#./;?&=,!@|".contains(first) {
      variables = variables.dropFirst()
    }
    guard !variables.isEmpty else { return false }
    return variables.split(separator: ",", omittingEmptySubsequences: false).allSatisfy {
      variable in
      let parts = variable.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 {
        guard let length = Int(parts[1]), (1..<10_000).contains(length), !parts[1].hasPrefix("0")
        else { return false }
      }
      let name = parts.count == 1 && parts[0].hasSuffix("*") ? parts[0].dropLast() : parts[0]
      return !name.isEmpty && !name.contains("..")
        && name.unicodeScalars.allSatisfy {
          isAlphanumeric($0) || "_.%".unicodeScalars.contains($0)
        }
    }
  }
}

/// Internationalized labels in ASCII.
///
/// Source: RFC 3492.
private enum Punycode {
  /// Returns the scalars of a label without its prefix `xn--`, or `nil` if it is malformed.
  static func decode(_ text: Substring) -> [Unicode.Scalar]? {
    var output: [Unicode.Scalar] = []
    var rest = text.unicodeScalars[...]
    if let hyphen = text.unicodeScalars.lastIndex(of: "-") {
      output = Array(text.unicodeScalars[..<hyphen])
      rest = text.unicodeScalars[text.unicodeScalars.index(after: hyphen)...]
    }
    var (code, index, bias) = (128, 0, 72)
    while !rest.isEmpty {
      let start = index
      var (weight, step) = (1, 36)
      while true {
        guard let scalar = rest.popFirst(), let digit = digit(scalar) else { return nil }
        index += digit * weight
        let threshold = min(max(step - bias, 1), 26)
        if digit < threshold { break }
        weight *= 36 - threshold
        step += 36
        guard index < 1 << 40, weight < 1 << 40 else { return nil }
      }
      let count = output.count + 1
      bias = adapted(index - start, count, isFirst: start == 0)
      code += index / count
      index %= count
      guard code <= 0x10FFFF, let scalar = Unicode.Scalar(UInt32(code)) else { return nil }
      output.insert(scalar, at: index)
      index += 1
    }
    return output
  }

  private static func digit(_ scalar: Unicode.Scalar) -> Int? {
    switch scalar {
    case "a"..."z": Int(scalar.value) - 97
    case "0"..."9": Int(scalar.value) - 22
    default: nil
    }
  }

  private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / 700 : delta / 2
    delta += delta / count
    var step = 0
    while delta > 455 {
      delta /= 35
      step += 36
    }
    return step + 36 * delta / (delta + 38)
  }
}

extension Unicode.GeneralCategory {
  fileprivate var isMark: Bool {
    self == .nonspacingMark || self == .spacingMark || self == .enclosingMark
  }
}

extension Unicode.CanonicalCombiningClass {
  fileprivate static let virama = Unicode.CanonicalCombiningClass(rawValue: 9)
}

extension Unicode.Scalar {
  fileprivate var isKana: Bool {
    (0x3041...0x3096).contains(value) || (0x30A1...0x30FA).contains(value)
  }
  fileprivate var isHan: Bool {
    (0x3400...0x9FFF).contains(value) || (0x20000...0x323AF).contains(value) || value == 0x3005
  }
}
