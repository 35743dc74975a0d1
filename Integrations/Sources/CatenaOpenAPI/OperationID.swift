public import Networking

/// The key of the operation of a generated client that makes a request.
public enum OperationIDKey: RequestAttributeKey {
  /// A request that no generated client makes.
  public static let defaultValue: String? = nil
}

extension RequestAttributes {
  /// The identifier of the operation in the OpenAPI document, for interceptors, monitors and mocks.
  ///
  /// `nil` for a request that no generated client makes.
  ///
  /// ```swift
  /// let provider = MockProvider<Request>(strict: true) { request in
  ///   switch request.attributes.operationID {
  ///   case "listPets": .json([["id": 1, "name": "Rex"]])
  ///   case "showPetById": .status(404)
  ///   default: nil
  ///   }
  /// }
  /// ```
  public var operationID: String? { self[OperationIDKey.self] }
}
