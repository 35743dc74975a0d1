package import Networking

/// The items of resources during one atomic step, in which a response changes them.
package protocol ChangeableItems: RequestItems {
  /// Adds an item, and returns it as stored.
  func create(_ item: JSON, at path: String) throws(ChangeRefusal) -> JSON
  /// Applies a merge patch to an item, and returns it as stored.
  func update(_ id: JSON, at path: String, with patch: JSON) throws(ChangeRefusal) -> JSON
  /// Removes an item, and returns it.
  func delete(_ id: JSON, at path: String) throws(ChangeRefusal) -> JSON
}

/// The resources of a backend whose items responses change.
package protocol ChangeableResources: RequestResources {
  /// Runs changes as one atomic step.
  ///
  /// - Parameters:
  ///   - request: The request, whose client's items are changed.
  ///   - values: The time and the random values of the backend.
  ///   - body: A closure that changes the items. If it throws, nothing is changed.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  func change(
    for request: ReceivedRequest, _ values: TemplateValues,
    _ body: (any ChangeableItems) throws -> Mock
  ) throws -> Mock
}

/// The reason why a resource refuses a change, with the response that describes it.
package struct ChangeRefusal: Error {
  /// The response.
  package let mock: Mock

  /// Creates a refusal.
  package init(mock: Mock) { self.mock = mock }
}
