public import Networking

// Spellings that other mock libraries use, each with a message that has the spelling of this one.

extension Mock {
  /// Is unavailable: the message has the declaration to use.
  @available(
    *, unavailable,
    message: "a status has no body; use '.json(value, status: 201)' or '.text(text, status: 201)'"
  )
  public static func status(_ status: Int, _ body: Any) -> Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(
    *, unavailable, message: "give the status to the body: '.json(value, status: 201)'"
  )
  public static func status(_ status: Int, _ body: Mock) -> Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use '.json(value, status: 201)'")
  public static func status(_ status: Int, json value: Any) -> Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use '.json(value)'")
  public static func json(encoding value: some Encodable, status: Int = 200) -> Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(
    *, unavailable, message: "a delay follows the response: '.json(value).delayed(by: .seconds(1))'"
  )
  public static func json(_ value: Any, status: Int = 200, delay: MockDelay) -> Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, renamed: "text(_:status:)")
  public static func string(_ text: String, status: Int = 200) -> Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use '.json(value)', '.text(text)' or '.status(200)'")
  public static func success(_ value: Any) -> Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use '.status(200)'")
  public static var success: Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use '.status(200)'")
  public static var ok: Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use '.status(404)'")
  public static var notFound: Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(
    *, unavailable,
    message: "use '.status(200)', '.json(value, status: 200)' or '.text(text, status: 200)'"
  )
  public static func response(_ status: Any) -> Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(
    *, unavailable, message: "use '.json(value, status: 200)' or '.text(text, status: 200)'"
  )
  public static func response(status: Int, body: Any? = nil) -> Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, renamed: "failure(_:)")
  public static func error(_ code: NetworkError.Code) -> Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, renamed: "failure(_:)")
  public static func error(_ error: any Error) -> Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, renamed: "status(_:)")
  public static func error(_ status: Int) -> Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, renamed: "status(_:)")
  public static func failure(_ status: Int) -> Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use '.failure(.timedOut(.idle))'")
  public static var timeout: Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(
    *, unavailable, message: "begin with the response: '.status(200).delayed(by: .seconds(1))'"
  )
  public static func delay(_ delay: MockDelay) -> Mock { Mock() }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, renamed: "delayed(by:)")
  public func delay(_ delay: MockDelay) -> Mock { self }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "a delay has a unit: '.delayed(by: .seconds(1))'")
  public func delay(_ seconds: Double) -> Mock { self }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "a delay has a unit: '.delayed(by: .seconds(1))'")
  public func delayed(by seconds: Double) -> Mock { self }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, renamed: "delayed(by:)")
  public func after(_ delay: MockDelay) -> Mock { self }

  /// Is unavailable: the message has the declaration to use.
  @available(
    *, unavailable,
    message: "set one field with '.header(\"ETag\", \"1\")', or all with 'Mock(headers:body:)'"
  )
  public func headers(_ headers: HTTPHeaders) -> Mock { self }
}

extension NetworkError.Code {
  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "name the phase: '.timedOut(.idle)'")
  public static var timeout: NetworkError.Code { .timedOut(.idle) }
}

extension MockFault {
  /// Is unavailable: the message has the declaration to use.
  @available(
    *, unavailable, message: "use '.fault(.reset)', or '.failure(.connectionLost)' without 'fault'"
  )
  public static var connectionLost: MockFault { .reset }

  /// Is unavailable: the message has the declaration to use.
  @available(
    *, unavailable, message: "use '.fault(.stall)', or '.failure(.timedOut(.idle))' without 'fault'"
  )
  public static var timeout: MockFault { .stall }
}
