import Foundation

/// An error that originates in this module rather than in the work of a promise.
///
/// Cancellation is not part of this type. It is represented by `CancellationError`.
public enum PromiseError: Error, Equatable {
  /// The promise's ``Resolver`` was released without a call, or a custom ``ExecutionContext``
  /// dropped the handler that settles the promise.
  case abandoned
  /// The promise would wait for itself, directly or through other promises (Promises/A+ 2.3.1).
  case cycle
  /// The promise did not settle within the limit of ``Promise/timeout(_:scheduler:file:line:)`` or
  /// ``Promise/wait(timeout:)``.
  case timedOut
  /// ``any(_:on:file:line:)`` or ``race(_:on:file:line:)`` received no promises.
  case empty
  /// The value does not meet the condition of ``Promise/validate(on:file:line:where:)``.
  case unacceptableValue
  /// The closure of ``Promise/compactMap(on:file:line:_:)`` returned `nil`, or a completion handler
  /// received neither a value nor an error.
  case missingValue
}

extension PromiseError: CustomStringConvertible {
  /// A one-line description of the error.
  public var description: String {
    switch self {
    case .abandoned:
      "the promise was abandoned: its resolver or handler was released before settling it"
    case .cycle: "the promise would wait for itself"
    case .timedOut: "the promise did not settle within its time limit"
    case .empty: "any or race received no promises"
    case .unacceptableValue: "the value does not meet the condition of validate(where:)"
    case .missingValue: "the value is nil"
    }
  }
}

/// An error type with values that represent a deliberate cancellation.
///
/// ``Swift/Error/isCancellation`` recognizes types that conform.
public protocol CancellationRepresenting: Error {
  /// Whether this value represents a cancellation.
  var representsCancellation: Bool { get }
}

/// An error type with values after which the same work must not be done again.
///
/// A ``RetrySchedule`` gives up after such a value, whatever its conditions.
package protocol RetryRefusing: Error {
  /// Whether the work must not be done again after this value.
  var refusesRetry: Bool { get }
}

extension Error {
  /// Whether this error represents a deliberate cancellation rather than a failure.
  ///
  /// `true` for `CancellationError`, for values of a ``CancellationRepresenting`` type that
  /// represent a cancellation, and for Foundation's `URLError.cancelled` and
  /// `CocoaError.userCancelled`. ``ErrorPolicy`` uses this property.
  public var isCancellation: Bool {
    if self is CancellationError { return true }
    if let error = self as? any CancellationRepresenting { return error.representsCancellation }
    if self is PromiseError { return false }
    let error = self as NSError
    switch error.domain {
    case NSURLErrorDomain: return error.code == -999
    case NSCocoaErrorDomain: return error.code == CocoaError.Code.userCancelled.rawValue
    default: return false
    }
  }
}
