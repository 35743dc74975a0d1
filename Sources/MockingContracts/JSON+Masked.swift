import MockingRecordings
import Networking

extension JSON {
  /// Returns whether this value does not keep a schema because a recording has masked a part of it.
  ///
  /// The schema of a value that contains masked ones may choose between others by them.
  func isMasked(at violation: SchemaViolation) -> Bool {
    var value = self
    for step in violation.path {
      switch value {
      case .array(let items):
        guard let index = Int(step), items.indices.contains(index) else { return false }
        value = items[index]
      default: value = value[step]
      }
    }
    let chooses = ["anyOf", "oneOf", "not", "if", "then", "else", "enum", "const"]
    return value.isPlaceholder || chooses.contains(violation.keyword) && value.hasPlaceholder
  }

  private var isPlaceholder: Bool {
    switch self {
    case .string(let text):
      RecordingPlaceholder.isPlaceholder(text) || !RecordingPlaceholder.ranges(in: text).isEmpty
    case .int(let number): RecordingPlaceholder.isPlaceholder(number)
    default: false
    }
  }

  private var hasPlaceholder: Bool {
    var rest = [self]
    while let value = rest.popLast() {
      if value.isPlaceholder { return true }
      switch value {
      case .array(let items): rest += items
      case .dictionary(let members): rest += members.values
      default: break
      }
    }
    return false
  }
}
