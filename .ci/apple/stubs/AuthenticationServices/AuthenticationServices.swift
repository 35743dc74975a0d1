// Written after Apple's documentation of AuthenticationServices. The module re-exports AppKit or UIKit, whose window stands here for
// a class of its own. The platforms of each name are in availability.txt.
import Foundation

@MainActor public final class ASPresentationAnchor {
  public init() {}
}

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
  func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

public struct ASWebAuthenticationSessionError: Error {
  public enum Code: Int, Sendable {
    case canceledLogin = 1
    case presentationContextNotProvided, presentationContextInvalid
  }
  public var code: Code { .canceledLogin }
}

open class ASWebAuthenticationSession: NSObject {
  public typealias CompletionHandler = (URL?, (any Error)?) -> Void
  public init(
    url URL: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler
  ) {}
  @available(*, unavailable) public override init() { fatalError() }
  open weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
  open var prefersEphemeralWebBrowserSession = false
  open var canStart: Bool { false }
  @discardableResult open func start() -> Bool { false }
  open func cancel() {}
}
