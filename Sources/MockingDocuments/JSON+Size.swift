package import Networking

/// The size of a value, by which modules bound the work and the memory that a document or a template of a
/// stranger can take.
extension JSON {
  /// The approximate size of the value with all its members, in bytes.
  ///
  /// Each value counts 8 bytes, and each text and each name of a member its characters in UTF-8. It takes a walk
  /// through all members, without recursion.
  package var totalSize: Int {
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
