package import Networking

/// The size of a value, by which modules bound the work and the memory that a document or a template of a
/// stranger can take.
extension JSON {
  /// The approximate size of the value with all its members, in bytes, by a walk through them.
  ///
  /// Each value counts as eight bytes more than its text and the names of its members.
  package var totalSize: Int {
    // A list instead of a recursion keeps the stack small.
    var (size, rest) = (0, [self])
    while let value = rest.popLast() {
      size += 8
      switch value {
      case .string(let text): size += text.utf8.count
      case .array(let values): rest += values
      case .dictionary(let members):
        size += members.keys.reduce(0) { $0 + $1.utf8.count }
        rest += members.values
      case .null, .bool, .int, .decimal, .double: break
      }
    }
    return size
  }
}
