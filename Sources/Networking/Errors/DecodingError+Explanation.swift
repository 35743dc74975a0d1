extension DecodingError {
  /// What did not fit, and where, without the value itself: `boards[0].id is missing`.
  var explanation: String {
    switch self {
    case .keyNotFound(let key, let context): "\(Self.path(context.codingPath + [key])) is missing"
    case .valueNotFound(_, let context): "\(Self.path(context.codingPath)) is null"
    case .typeMismatch(let type, let context):
      "\(Self.path(context.codingPath)) is not of the type \(type)"
    case .dataCorrupted(let context):
      context.codingPath.isEmpty
        ? context.debugDescription
        : "\(Self.path(context.codingPath)) is wrong: \(context.debugDescription)"
    @unknown default: "it does not fit"
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.isEmpty ? "the root" : "\(JSONValuePath(keys))"
  }
}
