import Foundation

/// Why a promise was rejected by this module itself, and not by the work that it stands for.
///
/// Cancellation is not among them: that is the language's own `CancellationError`.
public enum PromiseError: Error, Equatable {
  /// The promise's ``Resolver`` was released without having been called, or a custom
  /// ``ExecutionContext`` has dropped the handler that was to settle it.
  case abandoned
  /// The promise would have waited for itself, directly or through others (Promises/A+ 2.3.1).
  case cycle
  /// No outcome within the time given to ``Promise/timeout(_:scheduler:file:line:)`` or
  /// ``Promise/wait(timeout:)``.
  case timedOut
  /// ``any(_:file:line:)`` or ``race(_:file:line:)`` was given no promise at all.
  case empty
  /// The value did not meet the condition of ``Promise/validate(on:file:line:where:)``.
  case unacceptableValue
  /// The closure of ``Promise/compactMap(on:file:line:_:)`` returned nil.
  case missingValue
}

extension PromiseError: CustomStringConvertible {
  /// One line for people.
  public var description: String {
    switch self {
    case .abandoned:
      "the promise was abandoned: what was to settle it was released without doing so"
    case .cycle: "the promise would have waited for itself"
    case .timedOut: "the promise had no outcome within its time limit"
    case .empty: "there was no promise to choose from"
    case .unacceptableValue: "the value was refused by validate(where:)"
    case .missingValue: "compactMap's closure returned nil"
    }
  }
}

/// Every one of several promises was rejected: the error of ``any(_:file:line:)``.
///
/// Source: ECMA-262, AggregateError.
public struct AggregateError: Error, CustomStringConvertible {
  /// The errors, in the order in which the promises were given; at least one.
  public let errors: [any Error]

  /// One line for people: how many there were, and the first.
  public var description: String {
    let first = errors.first.map { ", the first: \($0)" } ?? ""
    return "all \(errors.count) promises were rejected\(first)"
  }
}

/// Which errors a handler is for.
///
/// A cancellation is what somebody asked for; a program seldom wants to show it as a failure.
public enum ErrorPolicy: Sendable {
  /// Every error but those that are a cancellation, as ``Swift/Error/isCancellation`` tells.
  case allErrorsExceptCancellation
  /// Every error.
  case allErrors

  @usableFromInline
  func covers(_ error: any Error) -> Bool {
    self == .allErrors || !error.isCancellation
  }
}

/// An error type of which some values mean that the work was cancelled on purpose.
///
/// Conform a type of your own to have ``Swift/Error/isCancellation`` know it.
public protocol CancellationRepresenting: Error {
  /// Whether this value stands for a cancellation.
  var representsCancellation: Bool { get }
}

extension Error {
  /// Whether this error says that the work was cancelled on purpose rather than that it failed.
  ///
  /// True for `CancellationError`, for what a ``CancellationRepresenting`` type calls so, and for
  /// Foundation's `URLError.cancelled` and `CocoaError.userCancelled`. ``ErrorPolicy`` goes by it.
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
