import CatenaSystem
import Foundation
import Mocking
import MockingRecordings
import MockingResources
import Networking

/// The segments of the paths of a recording, with variables in place of ids.
struct InferredPath {
  /// The template, such as `/pets/{petId}`.
  private(set) var template = ""
  /// The variables in order, with their percent-decoded values.
  private(set) var variables: [(name: String, value: String)] = []

  /// Reads a percent-encoded path.
  init(_ path: String) {
    var names: Set<String> = []
    var last = ""
    for segment in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      let text = PercentEncoding.decode(segment) ?? String(segment)
      guard Self.isID(text) else {
        template += "/" + segment.replacing("{", with: "%7B").replacing("}", with: "%7D")
        last = text
        continue
      }
      var name = Self.name(after: last)
      while !names.insert(name).inserted { name += "_" }
      template += "/{\(name)}"
      variables.append((name, text))
      last = ""
    }
    if template.isEmpty { template = "/" }
  }

  /// Returns whether a segment is an id: a number, a UUID, an e-mail address, a long text with digits or
  /// of mixed case, or a masked value.
  static func isID(_ text: String) -> Bool {
    let bytes = text.utf8
    if bytes.isEmpty { return false }
    if bytes.allSatisfy({ (0x30...0x39).contains($0) }) { return true }
    if RecordingPlaceholder.isPlaceholder(text) || !RecordingPlaceholder.ranges(in: text).isEmpty {
      return true
    }
    if UUID(uuidString: text) != nil || isEmailAddress(text) { return true }
    let isToken = bytes.allSatisfy { $0.isASCIIAlphanumeric || $0 == 0x2D || $0 == 0x5F }
    let digitCount = bytes.count { (0x30...0x39).contains($0) }
    // Names with a number, such as `v1` or `user-7`, are short or have few digits.
    if isToken, bytes.count >= 10, digitCount >= 3 { return true }
    let isMixed = text.contains(where: \.isUppercase) && text.contains(where: \.isLowercase)
    return isToken && bytes.count >= 20 && isMixed && !Self.isWord(text)
  }

  /// Returns whether a text has the form `name@example.com`; `@me` and `logo@2x.png` have not.
  private static func isEmailAddress(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[1].first?.isLetter == true else {
      return false
    }
    return parts[1].dropFirst().contains(".") && !parts[1].hasSuffix(".")
  }

  /// Returns whether a text consists of words, such as `listOpenInvitationsOfUser`, by the number of
  /// changes between small and capital letters.
  private static func isWord(_ text: String) -> Bool {
    let changes = zip(text, text.dropFirst()).count { left, right in
      left.isLowercase && right.isUppercase || left.isUppercase && right.isLowercase
    }
    return changes * 3 <= text.count
  }

  /// Returns the name of a variable after a segment, such as `petId` after `pets`.
  private static func name(after segment: String) -> String {
    let parts = segment.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.map(String.init)
    guard let first = parts.first, first.first?.isLetter == true else { return "id" }
    let words = [first.lowercased()] + parts.dropFirst().map(\.capitalized)
    return words.joined().singular + "Id"
  }
}
