/// The key of a typed attribute of a request.
///
/// An attribute carries a value from the code that makes a request to interceptors, plugins and
/// monitors. It is not sent to the server.
///
/// ```swift
/// enum TenantKey: RequestAttributeKey {
///   static let defaultValue: String? = nil
/// }
///
/// networking.request(.boards, .attribute(TenantKey.self, "acme"))
///
/// networking.interceptors.append(
///   RequestAdapter { request in
///     var request = request
///     request.headers["X-Tenant"] = request.attributes[TenantKey.self]
///     return request
///   })
/// ```
///
/// The type identifies the attribute, so two modules never use the same key by accident.
public protocol RequestAttributeKey: Sendable {
  /// The type of the value.
  associatedtype Value: Sendable

  /// The value of requests that do not set the attribute.
  static var defaultValue: Value { get }
}
