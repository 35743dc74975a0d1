import Foundation
import Networking

/// A link in the header field `Link` of a response.
///
/// ```swift
/// let last = response.links.first { $0.relations.contains("last") }
/// ```
///
/// Source: RFC 8288 (web linking).
public struct WebLink: Sendable, Hashable {
  /// A parameter of a link.
  public struct Parameter: Sendable, Hashable {
    /// The name, in lower case.
    public let name: String
    /// The value, without quotation marks.
    ///
    /// Empty if there is none. The value of a name with `*` is not decoded.
    public let value: String
  }

  /// The target: a URL, which can be relative to that of the response.
  public let target: String
  /// The parameters in order.
  public let parameters: [Parameter]

  /// The relation types of the first `rel` parameter, in lower case, such as `next`.
  public var relations: [String] {
    guard let value = self["rel"] else { return [] }
    return value.lowercased().split { $0 == " " || $0 == "\t" }.map(String.init)
  }

  /// Returns the value of the first parameter with a name.
  ///
  /// - Parameter name: The name, in lower case.
  public subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// Parses the value of a `Link` field.
  ///
  /// - Parameter value: The value.
  /// - Returns: The links in order. The rest of a malformed value is ignored.
  public static func parse(_ value: String) -> [WebLink] {
    var parser = Parser(value)
    var links: [WebLink] = []
    while let link = parser.nextLink() { links.append(link) }
    return links
  }
}

extension Response {
  /// The links in the `Link` header fields, in order.
  ///
  /// Source: RFC 8288 section 3.
  public var links: [WebLink] { headers.values(for: "Link").flatMap(WebLink.parse) }
}

extension WebLink {
  /// A parser of the value of a `Link` field.
  ///
  /// Source: RFC 8288 appendix B.2.
  private struct Parser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ value: String) {
      bytes = Array(value.utf8)
    }

    mutating func nextLink() -> WebLink? {
      skip { $0.isBlank || $0 == UInt8(ascii: ",") }
      guard take(UInt8(ascii: "<")) else { return nil }
      let target = text { $0 != UInt8(ascii: ">") }
      guard take(UInt8(ascii: ">")) else { return nil }
      var parameters: [Parameter] = []
      while true {
        skip { $0.isBlank }
        if take(UInt8(ascii: ";")) {
          if let parameter = nextParameter() { parameters.append(parameter) }
        } else if position == bytes.count || take(UInt8(ascii: ",")) {
          return WebLink(
            target: target.trimmingCharacters(in: .whitespaces), parameters: parameters)
        } else {
          // Not a parameter.
          skip { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
        }
      }
    }

    /// Parses a parameter.
    ///
    /// - Returns: The parameter. `nil` if it has no name.
    private mutating func nextParameter() -> Parameter? {
      skip { $0.isBlank }
      let name = text { !$0.isBlank && !"=;,".utf8.contains($0) }.lowercased()
      skip { $0.isBlank }
      var value = ""
      if take(UInt8(ascii: "=")) {
        skip { $0.isBlank }
        value =
          take(UInt8(ascii: "\"")) ? quotedText() : text { !$0.isBlank && !";,".utf8.contains($0) }
      }
      return name.isEmpty ? nil : Parameter(name: name, value: value)
    }

    private mutating func quotedText() -> String {
      var value: [UInt8] = []
      while position < bytes.count {
        var byte = bytes[position]
        position += 1
        if byte == UInt8(ascii: "\"") { break }
        if byte == UInt8(ascii: "\\"), position < bytes.count {
          byte = bytes[position]
          position += 1
        }
        value.append(byte)
      }
      return String(decoding: value, as: UTF8.self)
    }

    private mutating func take(_ byte: UInt8) -> Bool {
      guard position < bytes.count, bytes[position] == byte else { return false }
      position += 1
      return true
    }

    private mutating func skip(while condition: (UInt8) -> Bool) {
      while position < bytes.count, condition(bytes[position]) { position += 1 }
    }

    private mutating func text(while condition: (UInt8) -> Bool) -> String {
      let start = position
      skip(while: condition)
      return String(decoding: bytes[start..<position], as: UTF8.self)
    }
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
