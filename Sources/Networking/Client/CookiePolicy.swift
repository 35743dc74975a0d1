import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where a client keeps its cookies.
public enum CookiePolicy: Sendable {
  /// Where its ``SessionConfiguration`` says; with a transport of your own, where Foundation keeps
  /// those that it shares in the process.
  case session
  /// Nowhere: none are kept, and none sent but what a request brings.
  case none
  /// In a storage of your own.
  case storage(HTTPCookieStorage)

  /// The storage; nil for none.
  func storage(of session: Session) -> HTTPCookieStorage? {
    switch self {
    case .session: session.cookies
    case .none: nil
    case .storage(let storage): storage
    }
  }
}
