/// An endpoint around another one, which is the one that mocks are for.
package protocol EndpointLayer: RequestConvertible {
  /// The endpoint that it is around.
  var inner: any RequestConvertible { get }
}

extension RequestConvertible {
  /// The outermost endpoint of a type, this one or one that it is around; nil when there is none.
  ///
  /// - Parameter type: the type of the endpoint.
  /// - Returns: the endpoint.
  package func unwrapped<Endpoint: RequestConvertible>(to type: Endpoint.Type) -> Endpoint? {
    if let endpoint = self as? Endpoint { return endpoint }
    return (self as? any EndpointLayer)?.inner.unwrapped(to: type)
  }
}
