extension HTTPBody {
  /// Whether it can be sent more than once, and is the same each time.
  ///
  /// A request whose body cannot is never tried again.
  public var isRepeatable: Bool {
    switch self {
    case .none, .data, .file, .pieces: true
    case .stream(let stream): stream.isRepeatable
    }
  }
}
