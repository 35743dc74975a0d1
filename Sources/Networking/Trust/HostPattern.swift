import CatenaSystem
import Foundation

/// The hosts that a ``ServerTrust`` policy or a ``ClientIdentity`` is for.
///
/// A string literal is an exact host, such as `"api.example.com"` or `"192.0.2.7"`, or a wildcard for
/// the left-most label, such as `"*.example.com"`, which matches `a.example.com` and neither
/// `example.com` nor `a.b.example.com`. Each can have a port: `"api.example.com:8443"`, `"[::1]:8443"`.
///
/// The most specific pattern for a host applies: an exact host before a wildcard, each first with its
/// port, and then the first predicate that returns `true`. Case, a trailing dot and the zone of an IPv6
/// address do not matter. An international name is converted to ASCII, such as `xn--bcher-kva.example`.
///
/// A malformed pattern is refused when the ``TLSOptions`` with it are made.
public struct HostPattern: Sendable {
  enum Kind: Sendable {
    /// A host, with a port if the pattern has one.
    case exact(HostKey)
    /// The part after the first dot, with a port if the pattern has one.
    case wildcard(HostKey)
    case predicate(@Sendable (_ host: String, _ port: Int) -> Bool)
    case malformed(String)
  }

  let kind: Kind
  /// The text of the pattern.
  let text: String

  /// The hosts for which a closure returns `true`.
  ///
  /// - Parameter predicate: The closure. It runs on any thread, several times for a host, must not
  ///   block, and must always return the same value for a host and a port. The host is in lower case,
  ///   an IPv6 address without brackets.
  /// - Returns: The pattern.
  public static func matching(
    _ predicate: @escaping @Sendable (_ host: String, _ port: Int) -> Bool
  ) -> HostPattern {
    HostPattern(kind: .predicate(predicate), text: "a predicate")
  }
}

extension HostPattern: ExpressibleByStringLiteral {
  /// Makes the pattern of a host or of a wildcard.
  ///
  /// - Parameter value: The host, with or without a port.
  public init(stringLiteral value: String) { self.init(value) }

  /// Makes the pattern of a host or of a wildcard.
  ///
  /// - Parameter text: The host, with or without a port.
  public init(_ text: String) {
    let isWildcard = text.hasPrefix("*.")
    let key = Self.key(isWildcard ? String(text.dropFirst(2)) : text)
    guard let key, !isWildcard || (key.host.contains(where: \.isLetter) && !key.host.contains(":"))
    else {
      self.init(kind: .malformed(text), text: text)
      return
    }
    self.init(kind: isWildcard ? .wildcard(key) : .exact(key), text: text)
  }

  /// Returns a host with an optional port as a key, or `nil` if it is malformed.
  private static func key(_ text: String) -> HostKey? {
    var host = text.lowercased()[...]
    var port = ""
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]") else { return nil }
      port = String(host[end...].dropFirst())
      host = host[..<end].dropFirst()
    } else if host.filter({ $0 == ":" }).count == 1, let colon = host.firstIndex(of: ":") {
      port = String(host[colon...])
      host = host[..<colon]
    }
    if host.hasSuffix("."), host.count > 1 { host = host.dropLast() }
    let isHost = host.unicodeScalars.allSatisfy { scalar in
      !scalar.isASCII || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || ".-_:".unicodeScalars.contains(scalar)
    }
    let isPort = port.isEmpty || UInt16(port.dropFirst()).map { $0 > 0 } == true
    let hasEmptyLabel = !host.contains(":") && ".\(host).".contains("..")
    guard isHost, isPort, !hasEmptyLabel, port.isEmpty || port.hasPrefix(":") else { return nil }
    let key = HostKey(String(host), port: Int(port.dropFirst()))
    // An international name that cannot be converted.
    return key.host.utf8.allSatisfy { $0 < 0x80 } ? key : nil
  }
}

/// A host with an optional port, which patterns and URLs are compared by.
struct HostKey: Sendable, Hashable {
  /// The host in lower case and in its usual spelling, without a dot at the end.
  let host: String
  var port: Int?

  /// Makes a key.
  ///
  /// libcurl and the system accept several spellings of an address and of an international name.
  ///
  /// - Parameters:
  ///   - host: The host in lower case, an IPv6 address without brackets.
  ///   - port: The port. `nil` means all ports.
  init(_ host: String, port: Int?) {
    let host = host.hasSuffix(".") && host.utf8.count > 1 ? String(host.dropLast()) : host
    self.host = Self.isUsual(host) ? host : Self.usualSpelling(of: host)
    self.port = port
  }

  /// Fast path: whether a host is a name in ASCII, which has one spelling.
  private static func isUsual(_ host: String) -> Bool {
    let utf8 = host.utf8
    guard let last = utf8.last, last >= UInt8(ascii: "a") && last <= UInt8(ascii: "z") else {
      return false
    }
    return utf8.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: ":") }
      && !(utf8.split(separator: UInt8(ascii: ".")).last ?? utf8[...]).starts(with: "0x".utf8)
  }

  private static func usualSpelling(of host: String) -> String {
    if host.contains(":") {
      // The zone belongs to this machine, and not to the server.
      let host = String(host.prefix { $0 != "%" })
      var address = in6_addr()
      guard inet_pton(AF_INET6, host, &address) == 1 else { return host }
      return text(AF_INET6, &address) ?? host
    }
    // Also the spellings `127.1`, `2130706433` and `0x7f000001`.
    var address = in_addr()
    if inet_aton(host, &address) != 0 { return text(AF_INET, &address) ?? host }
    guard !host.utf8.allSatisfy({ $0 < 0x80 }) else { return host }
    return URL(reference: "https://\(host)/")?.host?.lowercased() ?? host
  }

  private static func text(_ family: Int32, _ address: UnsafeRawPointer) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(family, address, &buffer, socklen_t(buffer.count)) != nil else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The key for all ports.
  var withoutPort: HostKey { copy(of: self) { $0.port = nil } }

  /// The key of the host after the first dot, or `nil` for a host of one label.
  var parent: HostKey? {
    guard !host.contains(":"), let dot = host.firstIndex(of: "."), dot > host.startIndex else {
      return nil
    }
    return HostKey(String(host[host.index(after: dot)...]), port: port)
  }
}

/// The values for hosts, such as their policies.
struct HostTable<Value: Sendable>: Sendable {
  private var exact: [HostKey: Value] = [:]
  private var wildcards: [HostKey: Value] = [:]
  private var predicates: [(matches: @Sendable (String, Int) -> Bool, value: Value)] = []

  /// Makes an empty table.
  init() {}

  /// Makes a table.
  ///
  /// - Parameter entries: The patterns and their values.
  /// - Throws: The text of a malformed or repeated pattern, as a sentence about it.
  init(_ entries: [(pattern: HostPattern, value: Value)]) throws(NetworkError) {
    for (pattern, value) in entries {
      let isRepeated: Bool
      switch pattern.kind {
      case .exact(let key): isRepeated = exact.updateValue(value, forKey: key) != nil
      case .wildcard(let key): isRepeated = wildcards.updateValue(value, forKey: key) != nil
      case .predicate(let matches):
        predicates.append((matches, value))
        isRepeated = false
      case .malformed(let text):
        throw .invalidTLS(
          "the host pattern \(text.debugDescription) is malformed; a wildcard is the whole left-most "
            + "label, as in *.example.com")
      }
      if isRepeated {
        throw .invalidTLS("the host pattern \(pattern.text.debugDescription) is repeated")
      }
    }
  }

  var isEmpty: Bool { exact.isEmpty && wildcards.isEmpty && predicates.isEmpty }

  /// Returns the value for a host, or `nil` if no pattern matches.
  ///
  /// - Parameters:
  ///   - host: The host in lower case, an IPv6 address without brackets.
  ///   - port: The port.
  /// - Returns: The value of the most specific pattern.
  func value(forHost host: String, port: Int) -> Value? {
    guard !isEmpty else { return nil }
    let key = HostKey(host, port: port)
    if let value = exact[key] ?? exact[key.withoutPort] { return value }
    if !wildcards.isEmpty, let parent = key.parent {
      if let value = wildcards[parent] ?? wildcards[parent.withoutPort] { return value }
    }
    return predicates.first { $0.matches(key.host, port) }?.value
  }
}

extension NetworkError {
  /// Makes the error for TLS settings that cannot be used.
  ///
  /// - Parameter reason: The item and its defect, without secrets.
  /// - Returns: The error.
  static func invalidTLS(_ reason: String) -> NetworkError {
    NetworkError(.invalidTLSOptions, reason)
  }
}
