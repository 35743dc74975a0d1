import Foundation
package import Networking

extension Mock {
  /// Returns a mock that creates its response from the request and from generated values.
  ///
  /// ```swift
  /// Route(.post, "/orders", .template { request, values in
  ///   .json(["id": .int(values.counter("orders")), "name": request.json["name"]], status: 201)
  /// })
  /// ```
  ///
  /// - Parameter make: A closure that creates the response. It runs once for each request, on the
  ///   thread that serves the request, and must not block. If it throws, the response is a 500 with
  ///   the description of the error.
  /// - Returns: The mock. Its delays, pacing, fault and header fields are defaults for the
  ///   response.
  public static func template(
    _ make:
      @escaping @Sendable (_ request: ReceivedRequest, _ values: TemplateValues) throws -> Mock
  ) -> Mock {
    Mock().template(make)
  }

  /// Returns a mock that cannot be served: requests fail in memory, and receive a 500 on a socket.
  ///
  /// - Parameter reason: The error in the mock.
  /// - Returns: The mock.
  package static func invalid(_ reason: String) -> Mock {
    var mock = Mock()
    mock.source = .invalid(reason)
    return mock
  }

  /// Returns a copy that creates its response for each request.
  ///
  /// - Parameter make: A closure that creates the response, as that of the static method.
  /// - Returns: The mock, whose delays, pacing, fault and header fields are defaults for the response.
  package func template(
    _ make:
      @escaping @Sendable (_ request: ReceivedRequest, _ values: TemplateValues) throws -> Mock
  ) -> Mock {
    var mock = self
    mock.source = .template(make)
    return mock
  }

  /// Returns a mock that makes its responses from this one.
  ///
  /// - Parameter make: A closure that completes a response. It receives the mock without delays, pace,
  ///   interruption and webhooks, which apply to the completed response. It runs once for each request.
  /// - Returns: The mock.
  package func completed(
    by make:
      @escaping @Sendable (
        _ mock: Mock, _ request: ReceivedRequest, _ values: TemplateValues
      ) throws -> Mock
  ) -> Mock {
    var base = self
    base.delay = nil
    base.bodyDelay = nil
    base.pace = nil
    base.interruption = nil
    base.webhooks = []
    var outer = self
    outer.headers = [:]
    outer.source = .template { [base] request, values in try make(base, request, values) }
    return outer
  }

  /// Returns a copy after whose response the backend sends a webhook that depends on the response.
  ///
  /// - Parameter make: A closure that creates the webhook from the response as a value for templates. It
  ///   returns `nil` to send none.
  /// - Returns: The mock.
  package func callingBack(
    _ make:
      @escaping @Sendable (
        _ request: ReceivedRequest, _ values: TemplateValues, _ response: JSON
      ) throws -> Webhook?
  ) -> Mock {
    var mock = self
    mock.webhooks.append(
      WebhookSource { request, values, response in try make(request, values, response.json) })
    return mock
  }
}
