/// A type of a module named as one of Catena's.
public struct Promise<Value> {
  /// The value.
  public let value: Value

  /// Creates a promise of a value.
  public init(_ value: Value) { self.value = value }
}
