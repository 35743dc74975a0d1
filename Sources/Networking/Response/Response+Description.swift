extension Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Status and request, without secrets: `200 GET https://api.example.com/v1/boards`.
  public var description: String { "\(status) \(request)" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// What there is to see without secrets: header fields masked, of the body its size.
  public var customMirror: Mirror {
    let body =
      switch content {
      case .memory(let data): "\(data.count) bytes"
      case .file(let url): "file \(url.path)"
      case .live: "on its way"
      }
    return Mirror(
      self,
      children: [
        "head": head, "body": body, "request": request, "metrics": metrics, "attempts": attempts,
      ])
  }
}
