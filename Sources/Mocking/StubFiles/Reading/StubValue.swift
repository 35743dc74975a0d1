import Foundation
import Networking

/// A value of a file of stubs, and where it stands.
struct StubValue {
  let json: JSON
  let path: JSONValuePath

  /// Says that something else was expected here.
  func expected(_ expectation: String) -> JSONProblem {
    JSONProblem(path: path, text: "expected \(expectation), found \(found)")
  }

  /// The value in a few words.
  private var found: String {
    switch json {
    case .array(let values): return values.isEmpty ? "an empty array" : "an array"
    case .dictionary: return "an object"
    default:
      let text = json.description
      return text.count > 40 ? "\(text.prefix(40))…" : text
    }
  }

  // MARK: Types

  func string(_ expectation: String = "a string") throws(JSONProblem) -> String {
    guard case .string(let text) = json else { throw expected(expectation) }
    return text
  }

  func int(_ range: ClosedRange<Int>, _ expectation: String) throws(JSONProblem) -> Int {
    guard let number = json.int, range.contains(number) else { throw expected(expectation) }
    return number
  }

  func elements(_ expectation: String) throws(JSONProblem) -> [StubValue] {
    guard case .array(let values) = json else { throw expected(expectation) }
    return values.enumerated().map { index, value in
      StubValue(json: value, path: path.appending(.element(index)))
    }
  }

  /// The members of an object, sorted by name.
  func members(_ expectation: String) throws(JSONProblem) -> [(name: String, value: StubValue)] {
    guard case .dictionary(let members) = json else { throw expected(expectation) }
    return members.sorted { $0.key < $1.key }.map { name, value in
      (name, StubValue(json: value, path: path.appending(.member(name))))
    }
  }

  /// An object of certain members and no others.
  func object(_ names: [String], _ expectation: String) throws(JSONProblem) -> StubObject {
    let members = try members(expectation)
    for (name, value) in members where !names.contains(name) {
      let hint =
        NearestName.of(name, among: names).map { "did you mean \"\($0)\"?" }
        ?? "known are \(names.joined(separator: ", "))"
      throw JSONProblem(
        path: value.path, isAboutName: true, text: "\"\(name)\" is not known here; \(hint)")
    }
    return StubObject(path: path, members: Dictionary(members) { first, _ in first })
  }

  /// One of several names.
  func name(of names: [String]) throws(JSONProblem) -> String {
    let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
    let name = try string("one of \(list)")
    guard !names.contains(name) else { return name }
    let hint = NearestName.of(name, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
    throw JSONProblem(path: path, text: expected("one of \(list)").text + hint)
  }
}
