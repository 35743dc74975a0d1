import Mocking
import MockingDocuments
import Networking

/// The lookups and changes of a patch at the place of a value, which must exist.
extension JSONValuePath {
  /// Whether this path leads to a value inside the value of another path.
  func isInside(_ other: JSONValuePath) -> Bool {
    steps.count > other.steps.count && steps.starts(with: other.steps)
  }

  // MARK: Reading

  /// Returns the value.
  func value(in json: JSON) throws(JSONPatch.Failure) -> JSON {
    try value(at: steps[...], in: json)
  }

  private func value(at path: ArraySlice<Step>, in json: JSON) throws(JSONPatch.Failure) -> JSON {
    var value = json
    for step in path {
      value =
        switch try existing(step, in: value) {
        case .member(let name): value[name]
        case .element(let index): value[index]
        }
    }
    return value
  }

  /// Returns a step of a pointer as the step to a member or an element, which must exist.
  private func existing(_ step: Step, in json: JSON) throws(JSONPatch.Failure) -> Step {
    switch (json, step) {
    case (.dictionary(let members), .member(let name)):
      guard members[name] != nil else { throw missing }
      return step
    case (.array(let elements), _):
      guard let index = step.index, elements.indices.contains(index) else { throw missing }
      return .element(index)
    default: throw missing
    }
  }

  /// Returns the number of elements of an array that an insertion or a removal moves.
  func movedElements(in json: JSON) throws(JSONPatch.Failure) -> Int {
    guard let last = steps.last, last != "-",
      case .array(let elements) = try value(at: steps.dropLast(), in: json)
    else { return 0 }
    return max(elements.count - (last.index ?? elements.count), 0)
  }

  private var missing: JSONPatch.Failure {
    JSONPatch.Failure(reason: "there is no value at \(ReportFormatter.quoted(pointer))")
  }

  // MARK: Changing

  /// Adds a member, inserts an element before the index, or replaces the root.
  ///
  /// The index `-` appends an element. An existing member is replaced.
  func insert(_ value: JSON, in json: inout JSON) throws(JSONPatch.Failure) {
    guard let last = steps.last else {
      json = value
      return
    }
    try change(&json, steps.dropLast()) { (parent: inout JSON) throws(JSONPatch.Failure) in
      switch parent {
      case .dictionary:
        guard case .member(let name) = last else { throw missing }
        parent[name] = value
      case .array(var elements):
        let index = last == "-" ? elements.count : last.index
        guard let index, index <= elements.count else { throw missing }
        parent = .null
        elements.insert(value, at: index)
        parent = .array(elements)
      default: throw missing
      }
    }
  }

  /// Replaces the value, which must exist.
  func replace(by value: JSON, in json: inout JSON) throws(JSONPatch.Failure) {
    try change(&json, steps[...]) { (old: inout JSON) throws(JSONPatch.Failure) in old = value }
  }

  /// Removes the value, which must exist, and returns it.
  ///
  /// The root is replaced by `null`.
  func remove(from json: inout JSON) throws(JSONPatch.Failure) -> JSON {
    let removed = try value(in: json)
    guard let last = steps.last else {
      json = .null
      return removed
    }
    try change(&json, steps.dropLast()) { (parent: inout JSON) throws(JSONPatch.Failure) in
      switch try existing(last, in: parent) {
      case .member(let name): parent.remove(name)
      case .element(let index):
        guard case .array(var elements) = parent else { return }
        parent = .null
        elements.remove(at: index)
        parent = .array(elements)
      }
    }
    return removed
  }

  /// Runs a change on the value at a path, which must exist.
  private func change(
    _ json: inout JSON, _ path: ArraySlice<Step>,
    _ body: (inout JSON) throws(JSONPatch.Failure) -> Void
  ) throws(JSONPatch.Failure) {
    guard let step = path.first else { return try body(&json) }
    // A reference to the children during the change would make it copy them.
    switch try existing(step, in: json) {
    case .member(let name): try change(&json[name], path.dropFirst(), body)
    case .element(let index): try change(&json[index], path.dropFirst(), body)
    }
  }
}
