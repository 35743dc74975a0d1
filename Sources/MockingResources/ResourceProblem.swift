import Foundation
import Mocking
import MockingDocuments
import Networking

/// The reason why a request to a resource is refused, sent as problem details.
///
/// Source: RFC 9457.
struct ResourceProblem: Error, Hashable {
  /// An error in one member of the body.
  struct Detail: Hashable {
    /// The path of the member.
    var path: JSONValuePath
    var text: String
  }

  let status: Int
  var detail: String
  /// The id of an item that does not exist.
  var id: String?
  var errors: [Detail] = []
  var headers: HTTPHeaders = [:]

  /// Creates the problem of an item with invalid members.
  static func invalid(_ errors: [Detail]) -> ResourceProblem {
    let detail =
      errors.count == 1 ? "a member of the item is invalid" : "members of the item are invalid"
    return ResourceProblem(status: 422, detail: detail, errors: errors)
  }

  static func missing(_ id: String) -> ResourceProblem {
    ResourceProblem(
      status: 404, detail: "there is no item with the id \(ReportFormatter.quoted(id))", id: id)
  }

  /// The response, of the type `application/problem+json`.
  var mock: Mock {
    var members: [String: JSON] = [:]
    if !errors.isEmpty {
      members["errors"] = .array(
        errors.map {
          ["detail": .string($0.text), "pointer": .string("#\(Self.fragment($0.path.pointer))")]
        })
    }
    var mock = Mock.problem(status, detail, members: members)
    for field in headers { mock.headers.add(field.value, for: field.name) }
    return mock
  }

  private static func fragment(_ pointer: String) -> String {
    pointer.addingPercentEncoding(withAllowedCharacters: .urlFragmentAllowed) ?? pointer
  }
}

extension ResourceOptions {
  /// Returns all errors in the members of an item.
  func problems(in members: [String: JSON]) -> [ResourceProblem.Detail] {
    var problems: [ResourceProblem.Detail] = []
    func report(_ name: String, _ text: String) {
      problems.append(.init(path: [.member(name)], text: text))
    }
    for name in required where members[name]?.isNull ?? true { report(name, "is required") }
    for (name, type) in types.sorted(by: { $0.key < $1.key }) {
      guard let value = members[name], !value.isNull, !type.matches(value) else { continue }
      report(name, "must be \(type.phrase)")
    }
    for (name, rule) in rules.sorted(by: { $0.key < $1.key }) {
      for text in rule.problems(of: members[name] ?? .null) { report(name, text) }
    }
    return problems
  }
}

extension ResourceProblem.Detail {
  /// Creates the error of an item that is no value of the resource's type.
  init(_ error: any Error) {
    guard let error = error as? DecodingError else {
      self.init(path: [], text: "the item cannot be decoded")
      return
    }
    switch error {
    case .keyNotFound(let key, let context):
      self.init(path: JSONValuePath(context.codingPath + [key]), text: "is required")
    case .valueNotFound(_, let context):
      self.init(path: JSONValuePath(context.codingPath), text: "must not be null")
    case .typeMismatch(let type, let context):
      self.init(path: JSONValuePath(context.codingPath), text: "must be of the type \(type)")
    case .dataCorrupted(let context):
      self.init(path: JSONValuePath(context.codingPath), text: context.debugDescription)
    @unknown default: self.init(path: [], text: "the item cannot be decoded")
    }
  }
}

extension ResourceProblem.Detail {
  /// Returns the error for a member that clients cannot set.
  static func readOnly(_ name: String) -> ResourceProblem.Detail {
    .init(path: [.member(name)], text: "is read-only")
  }
}
