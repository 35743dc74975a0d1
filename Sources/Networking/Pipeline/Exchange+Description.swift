extension Exchange: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The request's method and URL, without secrets.
  public var description: String { request.description }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// What there is to see without secrets; the credentials in force are not in it.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["request": request, "redirects": redirects, "timeout": timeout as Any])
  }
}
