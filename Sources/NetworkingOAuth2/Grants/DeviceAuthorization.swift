public import Foundation

/// The code that a user enters on another device, and the page for it.
///
/// The description does not contain the code.
///
/// Source: RFC 8628 section 3.2.
public struct DeviceAuthorization: Sendable, CustomStringConvertible, CustomReflectable {
  /// The code that the user enters.
  public let userCode: String
  /// The page on which the user enters the code, with `https`, or `http` on this machine.
  public let verificationURL: URL
  /// The page with the code, for example for a QR code.
  ///
  /// `nil` if the server has sent none.
  public let completeURL: URL?
  /// The time at which the code expires.
  public let expires: Date

  /// The page.
  public var description: String { "DeviceAuthorization(\(verificationURL.host ?? ""))" }

  /// A mirror without the code.
  public var customMirror: Mirror { Mirror(self, children: ["expires": expires]) }
}
