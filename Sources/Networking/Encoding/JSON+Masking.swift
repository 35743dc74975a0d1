extension JSON {
  /// The same with some of its members masked, at any depth.
  ///
  /// - Parameters:
  ///   - isSecret: whether a member is masked; the value of one that is not is looked into.
  ///   - mask: what takes the place of a masked member's value.
  ///   - text: what takes the place of a text that belongs to no masked member.
  /// - Returns: the value with all of that replaced.
  package func masked(
    where isSecret: (_ name: String, _ value: JSON) -> Bool, by mask: (JSON) -> JSON,
    texts text: (String) -> String = { $0 }
  ) -> JSON {
    func masked(_ json: JSON) -> JSON {
      switch json {
      case .array(let values): .array(values.map(masked))
      case .dictionary(let members):
        .dictionary(
          Dictionary(
            uniqueKeysWithValues: members.map { name, value in
              (name, isSecret(name, value) ? mask(value) : masked(value))
            }))
      case .string(let value): .string(text(value))
      case .null, .bool, .int, .double, .decimal: json
      }
    }
    return masked(self)
  }
}
