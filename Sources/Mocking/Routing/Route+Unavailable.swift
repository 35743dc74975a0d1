import Networking

// Spellings that other mock libraries use, each with a message that has the spelling of this one.

extension Route {
  /// Is unavailable: the message has the declaration to use.
  @available(
    *, unavailable,
    message: "begin with the method, or nil for all: 'Route(.get, \"/boards\", ...)'"
  )
  public init(_ path: String, _ mock: Mock) { self.init(nil, path, mock) }

  /// Is unavailable: the message has the declaration to use.
  @available(
    *, unavailable,
    message: "begin with the method, or nil for all: 'Route(.get, \"/boards\") { request in ... }'"
  )
  public init(_ path: String, _ handler: (_ request: ReceivedRequest) throws -> Mock) {
    self.init(nil, path, .status(500))
  }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use 'Route(.get, \"/boards\", ...)'")
  public static func get(_ path: String, _ mock: Mock) -> Route { Route(nil, path, mock) }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use 'Route(.get, \"/boards\") { request in ... }'")
  public static func get(
    _ path: String, _ handler: (_ request: ReceivedRequest) throws -> Mock
  ) -> Route { Route(nil, path, .status(500)) }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use 'Route(.post, \"/boards\", ...)'")
  public static func post(_ path: String, _ mock: Mock) -> Route { Route(nil, path, mock) }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use 'Route(.post, \"/boards\") { request in ... }'")
  public static func post(
    _ path: String, _ handler: (_ request: ReceivedRequest) throws -> Mock
  ) -> Route { Route(nil, path, .status(500)) }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use 'Route(.put, \"/boards\", ...)'")
  public static func put(_ path: String, _ mock: Mock) -> Route { Route(nil, path, mock) }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use 'Route(.put, \"/boards\") { request in ... }'")
  public static func put(
    _ path: String, _ handler: (_ request: ReceivedRequest) throws -> Mock
  ) -> Route { Route(nil, path, .status(500)) }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use 'Route(.patch, \"/boards\", ...)'")
  public static func patch(_ path: String, _ mock: Mock) -> Route { Route(nil, path, mock) }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use 'Route(.patch, \"/boards\") { request in ... }'")
  public static func patch(
    _ path: String, _ handler: (_ request: ReceivedRequest) throws -> Mock
  ) -> Route { Route(nil, path, .status(500)) }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use 'Route(.delete, \"/boards\", ...)'")
  public static func delete(_ path: String, _ mock: Mock) -> Route { Route(nil, path, mock) }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use 'Route(.delete, \"/boards\") { request in ... }'")
  public static func delete(
    _ path: String, _ handler: (_ request: ReceivedRequest) throws -> Mock
  ) -> Route { Route(nil, path, .status(500)) }
}

extension RequestCondition {
  /// Is unavailable: the message has the declaration to use.
  @available(
    *, unavailable,
    message: "one condition for each item: '.query(\"page\", \"2\"), .query(\"size\", \"9\")'"
  )
  public static func query(_ items: [String: String]) -> RequestCondition { .query("") }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use '.header(\"Authorization\", \"Bearer \\(token)\")'")
  public static func bearer(_ token: String) -> RequestCondition { .header("Authorization") }
}
