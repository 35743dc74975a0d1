// The part of AppKit that the sources use, after developer.apple.com/documentation/appkit. One stub of AuthenticationServices serves
// all platforms, so that the window is that of the stub UIKit.
import Foundation
@_exported public import UIKit

public typealias NSWindow = UIWindow

extension UIWindow {
  public var isVisible: Bool { false }
}

@MainActor open class NSApplication: NSObject {
  open class var shared: NSApplication { fatalError() }
  open var keyWindow: NSWindow? { nil }
  open var mainWindow: NSWindow? { nil }
  open var windows: [NSWindow] { [] }
}
