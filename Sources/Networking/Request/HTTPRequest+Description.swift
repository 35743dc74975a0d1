extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Method and URL, without secrets: `GET https://api.example.com/v1/boards?token=***`.
  public var description: String { NetworkError.RequestSummary(self).description }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// What there is to see without secrets: the URL and the header fields masked, of the body its size.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "method": method, "url": NetworkError.RequestSummary(self).url, "headers": headers,
        "body": body, "connectTimeout": connectTimeout as Any, "idleTimeout": idleTimeout as Any,
      ])
  }
}
