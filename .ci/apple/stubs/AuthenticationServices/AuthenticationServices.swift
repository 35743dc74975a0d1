// Written after Apple's documentation of AuthenticationServices. The anchor is the window of AppKit or UIKit. The platforms of each name
// are in availability.txt.
import Foundation
public import UIKit

public let ASWebAuthenticationSessionErrorDomain = "com.apple.AuthenticationServices.WebAuthenticationSession"

public typealias ASPresentationAnchor = UIWindow

// On the main actor from the SDKs of Xcode 26 on. The earlier ones are the strict ones: a member on the main actor is no witness there.
public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
  func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

open class ASWebAuthenticationSession: NSObject {
  @available(macOS 14.4, iOS 17.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
  open class Callback: NSObject {
    public class func customScheme(_ customScheme: String) -> Self { fatalError() }
    public class func https(host: String, path: String) -> Self { fatalError() }
    open func matchesURL(_ url: URL) -> Bool { false }
    @available(*, unavailable) public override init() { fatalError() }
  }

  public typealias CompletionHandler = (URL?, (any Error)?) -> Void
  public init(
    url URL: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler
  ) {}
  @available(macOS 14.4, iOS 17.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
  public init(
    url URL: URL, callback: Callback, completionHandler: @escaping CompletionHandler
  ) {}
  @available(*, unavailable) public override init() { fatalError() }
  open weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
  open var prefersEphemeralWebBrowserSession = false
  open var canStart: Bool { false }
  @discardableResult open func start() -> Bool { false }
  open func cancel() {}
}
