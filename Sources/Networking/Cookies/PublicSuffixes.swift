import CCatena
import CatenaSystem

/// The domains under which anyone can register names, such as `com`, `co.uk` or `github.io`.
///
/// No cookie is shared by all names below such a domain. The list is that of publicsuffix.org, with
/// both of its parts. `CCatena/Scripts/suffixes` generates its data.
///
/// A lookup neither allocates nor locks. It takes one probe of a hash table for each label.
///
/// Source: https://publicsuffix.org/list, "Format" and "Algorithm".
struct PublicSuffixes: Sendable {
  /// The list, which is built on first use.
  static let shared = PublicSuffixes(rules: String(cString: catena_public_suffixes()))

  /// The meaning of a name in the list.
  private struct Flags: OptionSet {
    let rawValue: UInt8
    /// The name is a public suffix.
    static let suffix = Flags(rawValue: 1)
    /// All names one label below the name are public suffixes, and so is the name.
    static let wildcard = Flags(rawValue: 2)
    /// The name is not a public suffix, although a wildcard covers it.
    static let exception = Flags(rawValue: 4)
  }

  /// The flags of the names, by their hashes.
  ///
  /// A name that has the hash of another one by design can only lose its own cookies.
  private var table: [UInt64: Flags] = [:]
  /// The number of names, with those that only lead to others.
  var count: Int { table.count }

  /// Builds a list.
  ///
  /// The parent of a wildcard is a public suffix, as in libpsl: without it, a cookie
  /// for `compute.amazonaws.com` would reach all names of the rule `*.compute.amazonaws.com`. The
  /// algorithm of publicsuffix.org does not list that name.
  ///
  /// - Parameter rules: Names as a tree, from the top level down: labels separated by commas, each
  ///   followed by the labels below it in parentheses. A label that is no rule itself begins with a
  ///   dot, an exception with an exclamation mark. `*` is a wildcard.
  init(rules: String) {
    let bytes = Array(rules.utf8)
    table.reserveCapacity(bytes.count { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "(") } + 1)
    var parents: [Checksum] = []
    var name = Checksum()
    var position = 0
    while position < bytes.count {
      let start = position
      position += 1
      switch bytes[start] {
      case UInt8(ascii: "("): parents.append(name)
      case UInt8(ascii: ")"): parents.removeLast(min(1, parents.count))
      case UInt8(ascii: ","): break
      case UInt8(ascii: "*"):
        if let parent = parents.last {
          table[parent.value, default: []].formUnion([.wildcard, .suffix])
        }
      default:
        position = bytes[start...].firstIndex { $0.isOne(of: "(),") } ?? bytes.count
        var flags = Flags.suffix
        if bytes[start] == UInt8(ascii: ".") { flags = [] }
        if bytes[start] == UInt8(ascii: "!") { flags = .exception }
        name = parents.last ?? Checksum()
        if !parents.isEmpty { name.add(UInt8(ascii: ".")) }
        for byte in bytes[(flags == .suffix ? start : start + 1)..<position].reversed() {
          name.add(byte)
        }
        table[name.value, default: []].formUnion(flags)
      }
    }
  }

  // MARK: Lookup

  /// Returns whether a name is a public suffix.
  ///
  /// - Parameter name: A host name in lower case, international names in Punycode. A dot at its end
  ///   is ignored.
  /// - Returns: `true` also for a top-level domain that is not in the list.
  func contains(_ name: String) -> Bool {
    Self.withBytes(name) { !$0.isEmpty && suffixStart($0) == 0 }
  }

  /// Returns the public suffix and the label before it: the name that somebody has registered.
  ///
  /// - Parameter name: A host name in lower case, international names in Punycode.
  /// - Returns: The name, without a dot at its end. `nil` if the name is a public suffix.
  func registrableName(of name: String) -> String? {
    Self.withBytes(name) { bytes in
      let start = suffixStart(bytes)
      guard start > 0 else { return nil }
      let label = bytes[..<(start - 1)].lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? 0
      return String(decoding: bytes[label...], as: UTF8.self)
    }
  }

  /// Returns the position of the public suffix in a name.
  private func suffixStart(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    var hash = Checksum()
    var isBelowWildcard = false
    // The suffixes found so far. The default rule is `*`.
    var start: Int?
    var labelAfter = name.endIndex
    var position = name.endIndex
    while position > name.startIndex {
      while position > name.startIndex, name[position - 1] != UInt8(ascii: ".") {
        position -= 1
        hash.add(name[position])
      }
      if start == nil || isBelowWildcard { start = position }
      guard let flags = table[hash.value] else { break }
      if flags.contains(.exception) { return labelAfter }
      if flags.contains(.suffix) { start = position }
      isBelowWildcard = flags.contains(.wildcard)
      labelAfter = position
      // Before the first label, this ends the loop.
      position -= 1
      hash.add(UInt8(ascii: "."))
    }
    return start ?? name.startIndex
  }

  /// Calls a closure with the bytes of a name, without a dot at its end.
  private static func withBytes<Value>(
    _ name: String, _ body: (Slice<UnsafeBufferPointer<UInt8>>) -> Value
  ) -> Value {
    var name = name
    return name.withUTF8 { bytes in
      body(bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes[...])
    }
  }
}
