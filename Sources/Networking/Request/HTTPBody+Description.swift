extension HTTPBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// What it consists of, for people: `12 bytes`; nothing of the bytes themselves.
  public var description: String {
    switch self {
    case .none: "none"
    case .data(let data): "\(data.count) bytes"
    case .file(let url): "file \(url.path)"
    case .pieces(let pieces): "\(pieces.count) pieces"
    case .stream(let stream): stream.length.map { "stream of \($0) bytes" } ?? "stream"
    }
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// None of the bytes.
  public var customMirror: Mirror { Mirror(self, children: ["content": description]) }
}
