/// Where a value stands in a JSON text: `routes[2].headers`.
package struct JSONValuePath: Hashable, Sendable {
  /// The name of an object's member, or the index of an array's element.
  package enum Step: Hashable, Sendable {
    case member(String)
    case element(Int)
  }

  package var steps: [Step]

  /// Makes a path; without steps it is the root's.
  package init(steps: [Step] = []) {
    self.steps = steps
  }

  /// The path that a decoder names.
  package init(_ keys: [any CodingKey]) {
    steps = keys.map { key in key.intValue.map { .element($0) } ?? .member(key.stringValue) }
  }

  /// The path of a value within that of this path.
  package func appending(_ step: Step) -> JSONValuePath { JSONValuePath(steps: steps + [step]) }
}

extension JSONValuePath: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: Step...) { self.init(steps: elements) }
}

extension JSONValuePath.Step: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) { self = .member(value) }
}

extension JSONValuePath: CustomStringConvertible {
  /// As programs write it; empty for the root.
  package var description: String {
    steps.reduce(into: "") { text, step in
      switch step {
      case .element(let index): text += "[\(index)]"
      case .member(let name) where Self.isPlain(name): text += text.isEmpty ? name : ".\(name)"
      case .member(let name): text += "[\(name.debugDescription)]"
      }
    }
  }

  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "$-_".utf8.contains($0) }
  }
}
