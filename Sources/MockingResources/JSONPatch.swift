import Mocking
import MockingDocuments
package import Networking

/// A list of changes of a JSON value, which are applied together or not at all.
///
/// Source: RFC 6902.
struct JSONPatch {
  /// One change.
  enum Operation {
    case add(JSONValuePath, JSON)
    case remove(JSONValuePath)
    case replace(JSONValuePath, JSON)
    case move(from: JSONValuePath, to: JSONValuePath)
    case copy(from: JSONValuePath, to: JSONValuePath)
    case test(JSONValuePath, JSON)
  }

  /// The reason why a patch is malformed or cannot be applied.
  struct Failure: Error, Hashable {
    /// The index of the operation.
    ///
    /// `nil` if the patch is no array.
    var index: Int?
    let reason: String
    var kind = Kind.invalid
  }

  /// The kind of a failure.
  enum Kind {
    case invalid
    /// A `test` failed.
    case test
    /// The copies are too large.
    case tooLarge
  }

  private static let maximumOperations = 1_000
  /// The maximum number of steps of a patch: moved elements and visited values.
  ///
  /// A patch is applied under a lock.
  static let maximumSteps = 16 << 20

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
    func pointer(_ name: String) throws(Failure) -> JSONValuePath {
      guard let text = members[name]?.string else {
        throw Failure(index: index, reason: "expected a member \"\(name)\", a JSON Pointer")
      }
      guard let pointer = JSONValuePath(pointer: text) else {
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
  /// The work is limited before it is done: the copies by the size of their JSON text, because each
  /// may double the size of the value, and all operations by their steps.
  ///
  /// - Parameters:
  ///   - json: The value.
  ///   - maximumCopiedBytes: The maximum size of the JSON text of all copies.
  /// - Returns: The changed copy.
  /// - Throws: ``Failure`` for the first operation that cannot be applied.
  func applied(
    to json: JSON, atMost maximumCopiedBytes: Int = 1024 * 1024
  ) throws(Failure) -> JSON {
    var application = Application(result: json, maximumCopiedBytes: maximumCopiedBytes)
    for (index, operation) in operations.enumerated() {
      do throws(Failure) {
        try application.apply(operation)
      } catch {
        throw Failure(index: index, reason: error.reason, kind: error.kind)
      }
    }
    return application.result
  }
}

/// The state of the application of a patch.
private struct Application {
  var result: JSON
  private let maximumCopiedBytes: Int
  /// The remaining size of copies.
  private var remainingBytes: Int
  private var remainingSteps = JSONPatch.maximumSteps

  init(result: JSON, maximumCopiedBytes: Int) {
    self.result = result
    self.maximumCopiedBytes = maximumCopiedBytes
    remainingBytes = maximumCopiedBytes
  }

  mutating func apply(_ operation: JSONPatch.Operation) throws(JSONPatch.Failure) {
    switch operation {
    case .add(let path, let value): try add(value, at: path)
    case .remove(let path): _ = try remove(path)
    case .replace(let path, let value):
      try checkDepth(of: value, at: path)
      try path.replace(by: value, in: &result)
    case .move(let from, let path):
      if path.isInside(from) {
        throw JSONPatch.Failure(reason: "a value cannot be moved into itself")
      }
      if from != path { try add(try remove(from), at: path) }
    case .copy(let from, let path):
      let value = try from.value(in: result)
      value.countBytes(&remainingBytes)
      guard remainingBytes >= 0 else {
        throw JSONPatch.Failure(
          reason: "the copies have more than \(maximumCopiedBytes) bytes", kind: .tooLarge)
      }
      try add(value, at: path)
    case .test(let path, let value):
      guard try path.value(in: result) == value else {
        throw JSONPatch.Failure(
          reason: "the value at \(ReportFormatter.quoted(path.pointer)) is different",
          kind: .test)
      }
    }
  }

  private mutating func add(_ value: JSON, at path: JSONValuePath) throws(JSONPatch.Failure) {
    try checkDepth(of: value, at: path)
    try count(path.movedElements(in: result))
    try path.insert(value, in: &result)
  }

  private mutating func remove(_ path: JSONValuePath) throws(JSONPatch.Failure) -> JSON {
    try count(path.movedElements(in: result))
    return try path.remove(from: &result)
  }

  private mutating func count(_ steps: Int) throws(JSONPatch.Failure) {
    remainingSteps -= steps
    guard remainingSteps >= 0 else {
      throw JSONPatch.Failure(reason: "the operations of the patch take too many steps")
    }
  }

  /// Functions on JSON values are recursive, so the depth of the result is limited.
  private mutating func checkDepth(
    of value: JSON, at path: JSONValuePath
  ) throws(JSONPatch.Failure) {
    let depth = value.depth(&remainingSteps)
    try count(0)
    guard path.steps.count + depth <= JSON.maximumDepth else {
      throw JSONPatch.Failure(
        reason: "the values are nested more than \(JSON.maximumDepth) levels deep")
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
  package func merging(_ patch: JSON) -> JSON {
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

  /// Returns the number of nested levels; 0 for a value that is neither an array nor an object.
  ///
  /// - Parameter steps: The remaining steps. One is subtracted for each value, and the walk ends when
  ///   there are none.
  /// - Returns: The number of levels.
  fileprivate func depth(_ steps: inout Int) -> Int {
    steps -= 1
    guard steps >= 0 else { return 0 }
    var depth = 0
    switch self {
    case .array(let values): for value in values { depth = max(depth, 1 + value.depth(&steps)) }
    case .dictionary(let members):
      for value in members.values { depth = max(depth, 1 + value.depth(&steps)) }
    case .null, .bool, .int, .decimal, .double, .string: return 0
    }
    return max(depth, 1)
  }

  /// Subtracts the size of the value's JSON text without escapes, and stops below zero.
  fileprivate func countBytes(_ remaining: inout Int) {
    // The shortest value with a comma.
    remaining -= 2
    guard remaining >= 0 else { return }
    switch self {
    case .string(let text): remaining -= text.utf8.count
    case .array(let values):
      for value in values where remaining >= 0 { value.countBytes(&remaining) }
    case .dictionary(let members):
      for (name, value) in members where remaining >= 0 {
        remaining -= name.utf8.count + 3
        value.countBytes(&remaining)
      }
    case .null, .bool, .int, .decimal, .double: break
    }
  }
}
