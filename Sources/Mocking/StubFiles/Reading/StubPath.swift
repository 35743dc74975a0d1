/// Where a value stands in a JSON text: `routes[2].headers`.
struct StubPath: Hashable, CustomStringConvertible {
  enum Step: Hashable {
    case member(String)
    case element(Int)
  }

  var steps: [Step] = []

  func appending(_ step: Step) -> StubPath { StubPath(steps: steps + [step]) }

  var description: String {
    steps.reduce(into: "") { text, step in
      switch step {
      case .element(let index): text += "[\(index)]"
      case .member(let name) where Self.isPlain(name): text += text.isEmpty ? name : ".\(name)"
      case .member(let name): text += "[\(name.debugDescription)]"
      }
    }
  }

  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { ("a"..."z").contains(UnicodeScalar($0)) || isOther($0) }
  }

  private static func isOther(_ byte: UInt8) -> Bool {
    let scalar = UnicodeScalar(byte)
    return ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
      || "$-_".contains(Character(scalar))
  }
}
