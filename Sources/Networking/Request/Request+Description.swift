extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Method and path, without secrets: `GET boards?token=***`.
  public var description: String { NetworkError.RequestSummary(self).description }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// What there is to see without secrets: path, header fields and parameters masked, of the payload its size.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "method": method, "path": NetworkError.RequestSummary(self).url,
        "parameters": parameters.map(Redaction.parameters) as Any, "headers": headers,
        "contentType": contentType as Any, "payload": payload as Any, "storePolicy": storePolicy,
        "storeKey": storeKey, "cachePolicy": cachePolicy, "timeout": timeout as Any,
        "priority": priority, "isShared": isShared as Any, "isIntercepted": isIntercepted,
      ])
  }
}

extension Request.Payload: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// What it consists of, for people: `12 bytes`; nothing of the bytes themselves.
  public var description: String {
    switch self {
    case .data(let data): HTTPBody.data(data).description
    case .file(let url): HTTPBody.file(url).description
    case .multipart(let form): "form of \(form.parts.count) parts"
    case .stream(let stream): HTTPBody.stream(stream).description
    }
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// None of the bytes.
  public var customMirror: Mirror { Mirror(self, children: ["content": description]) }
}
