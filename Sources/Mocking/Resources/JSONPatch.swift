import Networking

/// A list of changes of a JSON value, which are applied together or not at all.
///
/// Source: RFC 6902.
struct JSONPatch {
  /// One change.
  enum Operation {
    case add(JSONPointer, JSON)
    case remove(JSONPointer)
    case replace(JSONPointer, JSON)
    case move(from: JSONPointer, to: JSONPointer)
    case copy(from: JSONPointer, to: JSONPointer)
    case test(JSONPointer, JSON)
  }

  /// The reason why a patch is malformed or cannot be applied.
  struct Failure: Error, Hashable {
    /// The index of the operation.
    ///
    /// `nil` if the patch is no array.
    var index: Int?
    let reason: String
    /// Whether a `test` failed.
    var isTest = false
  }

  private static let maximumOperations = 1_000
  /// The maximum number of values that all copies of a patch add.
  ///
  /// Each copy may double the size of the value.
  private static let maximumCopiedValues = 100_000
  /// The maximum depth of the result.
  ///
  /// Functions on JSON values are recursive.
  private static let maximumDepth = JSON.maximumDepth

  private let operations: [Operation]

  /// Parses a patch document.
  ///
  /// - Throws: ``Failure`` for the first operation that is malformed. Members that an operation does
  ///   not define are ignored.
  init(_ document: JSON) throws(Failure) {
    guard case .array(let elements) = document else {
      throw Failure(reason: "a JSON Patch is an array of operations")
    }
    guard elements.count <= Self.maximumOperations else {
      throw Failure(reason: "a JSON Patch has at most \(Self.maximumOperations) operations")
    }
    var operations: [Operation] = []
    operations.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      operations.append(try Self.operation(element, index))
    }
    self.operations = operations
  }

  private static func operation(_ json: JSON, _ index: Int) throws(Failure) -> Operation {
    guard case .dictionary(let members) = json, let name = members["op"]?.string else {
      throw Failure(index: index, reason: "expected an object with a member \"op\"")
    }
    func pointer(_ name: String) throws(Failure) -> JSONPointer {
      guard let text = members[name]?.string else {
        throw Failure(index: index, reason: "expected a member \"\(name)\", a JSON Pointer")
      }
      guard let pointer = JSONPointer(text) else {
        throw Failure(
          index: index, reason: "\"\(name)\" is not a JSON Pointer, such as \"/a/0\"")
      }
      return pointer
    }
    func value() throws(Failure) -> JSON {
      guard let value = members["value"] else {
        throw Failure(index: index, reason: "expected a member \"value\"")
      }
      return value
    }
    switch name {
    case "add": return .add(try pointer("path"), try value())
    case "remove": return .remove(try pointer("path"))
    case "replace": return .replace(try pointer("path"), try value())
    case "move": return .move(from: try pointer("from"), to: try pointer("path"))
    case "copy": return .copy(from: try pointer("from"), to: try pointer("path"))
    case "test": return .test(try pointer("path"), try value())
    default:
      throw Failure(
        index: index,
        reason:
          "\"op\" must be one of \"add\", \"remove\", \"replace\", \"move\", \"copy\", \"test\"")
    }
  }

  /// Returns a copy of a value with all changes.
  ///
  /// - Throws: ``Failure`` for the first operation that cannot be applied.
  func applied(to json: JSON) throws(Failure) -> JSON {
    var result = json
    var copiedValues = 0
    for (index, operation) in operations.enumerated() {
      do throws(JSONPointer.Failure) {
        switch operation {
        case .add(let path, let value): try Self.add(value, at: path, to: &result)
        case .remove(let path): _ = try path.remove(from: &result)
        case .replace(let path, let value): try Self.replace(value, at: path, in: &result)
        case .move(let from, let path):
          if path.isInside(from) {
            throw JSONPointer.Failure(reason: "a value cannot be moved into itself")
          }
          if from != path {
            let value = try from.remove(from: &result)
            try Self.add(value, at: path, to: &result)
          }
        case .copy(let from, let path):
          let value = try from.value(in: result)
          value.countValues(&copiedValues, upTo: Self.maximumCopiedValues)
          if copiedValues >= Self.maximumCopiedValues {
            throw JSONPointer.Failure(reason: "the copies have too many values")
          }
          try Self.add(value, at: path, to: &result)
        case .test(let path, let value):
          guard try path.value(in: result) == value else {
            throw JSONPointer.Failure(
              reason: "the value at \(path.description.debugDescription) is different", isTest: true
            )
          }
        }
      } catch {
        throw Failure(index: index, reason: error.reason, isTest: error.isTest)
      }
    }
    return result
  }

  private static func add(
    _ value: JSON, at path: JSONPointer, to json: inout JSON
  ) throws(JSONPointer.Failure) {
    try checkDepth(of: value, at: path)
    try path.insert(value, in: &json)
  }

  private static func replace(
    _ value: JSON, at path: JSONPointer, in json: inout JSON
  ) throws(JSONPointer.Failure) {
    try checkDepth(of: value, at: path)
    try path.replace(by: value, in: &json)
  }

  private static func checkDepth(
    of value: JSON, at path: JSONPointer
  ) throws(JSONPointer.Failure) {
    guard path.tokens.count + value.depth <= maximumDepth else {
      throw JSONPointer.Failure(
        reason: "the values are nested more than \(maximumDepth) levels deep")
    }
  }
}

extension JSON {
  /// Returns a copy that a merge patch has changed.
  ///
  /// Members of the patch replace the members of an object, and `null` removes them. A patch that is
  /// not an object replaces the value.
  ///
  /// Source: RFC 7396.
  func merging(_ patch: JSON) -> JSON {
    guard case .dictionary(let changes) = patch else { return patch }
    var members = dictionary ?? [:]
    for (name, change) in changes {
      if change.isNull {
        members.removeValue(forKey: name)
      } else {
        members[name] = (members[name] ?? .null).merging(change)
      }
    }
    return .dictionary(members)
  }

  /// The number of nested levels; 0 for a value that is neither an array nor an object.
  fileprivate var depth: Int {
    switch self {
    case .array(let values): 1 + (values.lazy.map(\.depth).max() ?? 0)
    case .dictionary(let members): 1 + (members.values.lazy.map(\.depth).max() ?? 0)
    case .null, .bool, .int, .decimal, .double, .string: 0
    }
  }

  /// Adds the number of values, and stops at a limit.
  fileprivate func countValues(_ count: inout Int, upTo limit: Int) {
    guard count < limit else { return }
    count += 1
    switch self {
    case .array(let values): for value in values { value.countValues(&count, upTo: limit) }
    case .dictionary(let members):
      for value in members.values { value.countValues(&count, upTo: limit) }
    case .null, .bool, .int, .decimal, .double, .string: break
    }
  }
}
