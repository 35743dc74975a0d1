extension Redaction {
  /// Parameters with the values of telling names masked, and bytes by their number.
  static func parameters(_ parameters: Parameters) -> Parameters {
    switch parameters {
    case .array(let values): .array(values.map(self.parameters))
    case .dictionary(let members):
      .dictionary(
        Parameters.Members(
          members.map { member in
            (
              member.name,
              isSecret(name: member.name) ? .string(mask) : self.parameters(member.value)
            )
          }))
    case .string(let value): .string(text(value))
    case .data(let data): .string("(\(data.count) bytes)")
    case .null, .bool, .int, .decimal, .double: parameters
    }
  }
}
