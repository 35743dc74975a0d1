public import Foundation
public import Promises

// Names of other libraries, and common mistakes, for which the compiler states the mend. The compiler
// considers an unavailable declaration only if no other one fits.

extension Networking {
  /// A closure after the arguments of a request.
  @available(*, unavailable, message: "append .done { response in }; progress: .onProgress { }")
  @discardableResult
  public func request(
    _ endpoint: Endpoint, _ completion: (Result<Response, any Error>) -> Void
  ) -> NetworkPromise { fatalError() }

  /// A decoded request of an enumeration.
  @available(*, unavailable, message: "use request(.boards).validate().decode([Board].self)")
  public func fetch<Value>(_ endpoint: Endpoint) -> Promise<Value> { fatalError() }
}

@available(*, unavailable, message: "use decode(Board.self).done { board in }, or toJson()")
extension Promise where Value == Response {
  /// A step of Alamofire.
  @discardableResult public func responseJSON(_ handler: (Response) -> Void) -> Self { self }

  /// A step of Alamofire.
  public func responseDecodable<T>(of type: T.Type, _ handler: (Response) -> Void) {}
}

extension Promise where Value == Response {
  /// The name of Malibu for `toJson`.
  @available(*, unavailable, renamed: "toJson()")
  public func toJSON() -> Promise<JSON> { fatalError() }

  /// A property of the response.
  @available(*, unavailable, message: "this is a promise; use 'try await promise.value' before")
  public var status: Int { 0 }
}

extension Promise where Value: Sendable {
  /// An observer of one type of errors.
  @available(*, unavailable, message: "use fail(NetworkError.self) { error in }") @discardableResult
  public func fail(_ handler: (_ error: NetworkError) -> Void) -> Promise { self }
}

extension Response {
  /// The name of Foundation for ``status``.
  @available(*, unavailable, renamed: "status") public var statusCode: Int { 0 }

  /// The name of other clients for ``data``.
  @available(*, unavailable, renamed: "data") public var body: Data { Data() }

  /// The text, which is a step of the promise.
  @available(*, unavailable, message: "use the promise: request(.boards).toString()")
  public var text: String { "" }

  /// The JSON value, which is a step of the promise.
  @available(*, unavailable, message: "use the promise: request(.boards).toJson()")
  public var json: JSON { .null }

  /// The decoded value, which is a step of the promise.
  @available(*, unavailable, message: "use the promise: request(.boards).decode([Board].self)")
  public func decode<Output>(_ type: Output.Type) throws -> Output { fatalError() }
}

extension JSON {
  /// The name of SwiftyJSON for ``string``.
  @available(*, unavailable, renamed: "string") public var stringValue: String { "" }

  /// The name of SwiftyJSON for ``int``.
  @available(*, unavailable, renamed: "int") public var intValue: Int { 0 }

  /// The name of SwiftyJSON for ``array``.
  @available(*, unavailable, renamed: "array") public var arrayValue: [JSON] { [] }

  /// A dictionary without static types.
  @available(*, unavailable, message: "use JSON(parsing: data), or a literal with .string(text)")
  public init(_ value: [String: Any]) { self = .null }
}

@available(*, unavailable, message: "the label is 'parameters:'")
extension Request {
  /// A label of other clients.
  public static func get(_: RequestPath, params: Any, _: RequestOption...) -> Self { .get("") }

  /// A label of other clients.
  public static func get(_: RequestPath, query: Any, _: RequestOption...) -> Self { .get("") }

  /// A label of other clients.
  public static func get(_: RequestPath, queryItems: Any, _: RequestOption...) -> Self { .get("") }
}

@available(*, unavailable, message: "use 'json: value', or .upload(data: data, to: path)")
extension Request {
  /// A label of other clients.
  public static func post(_: RequestPath, body: Any, _: RequestOption...) -> Self { .get("") }

  /// A label of other clients.
  public static func post(_: RequestPath, data: Any, _: RequestOption...) -> Self { .get("") }
}

@available(
  *, unavailable,
  message: "use 'json: value', Parameters(encoding: value), or nested '[...] as Parameters'"
)
extension Request {
  /// A value, or a dictionary without static types, as parameters.
  public static func get(_: RequestPath, parameters: Any, _: RequestOption...) -> Self { .get("") }

  /// A value, or a dictionary without static types, as parameters.
  public static func post(_: RequestPath, parameters: Any, _: RequestOption...) -> Self { .get("") }
}

extension RequestConvertible {
  /// Options of an endpoint, which is no request.
  @available(*, unavailable, message: "options are arguments: request(.boards, .retry(.never))")
  public func with(_ options: RequestOption...) -> Self { self }
}

extension RequestOption {
  /// A limit without a unit.
  @available(*, unavailable, message: "a Duration has a unit: .timeout(.seconds(30))")
  public static func timeout(_ seconds: some Numeric) -> Self { .notIntercepted }

  /// A number of retries without their delays.
  @available(*, unavailable, message: "use .retry(.exponential(initial: .seconds(1), limit: 3))")
  public static func retry(_ limit: Int) -> Self { .notIntercepted }
}
