/// The app's own networking layer.
public struct API {
  /// The path of a request.
  public let path: String

  /// Creates an API with a path.
  public init(path: String) { self.path = path }
}
