import CatenaSystem

/// A result that is made once for a document, and that all copies of its content share.
///
/// The type is that of the first use, because the folders that make results are above this one. Only the search for
/// collections uses it: routes, omissions and the inspector need the same collections, and a large document takes
/// seconds to search.
///
/// It is thread-safe. Concurrent callers wait for the one that makes the result.
final class SharedResult: Sendable {
  private let result = Mutex<(any Sendable)?>(nil)

  /// Returns the result.
  ///
  /// - Parameter make: The closure that makes the result. It is called once, and must not use the same result.
  /// - Returns: The result.
  func value<Result: Sendable>(_ make: () -> Result) -> Result {
    result.withLock { result in
      if let known = result as? Result { return known }
      let made = make()
      result = made
      return made
    }
  }
}
