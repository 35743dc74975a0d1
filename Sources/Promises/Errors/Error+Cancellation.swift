import Foundation

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
