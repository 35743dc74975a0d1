// The part of UIKit that the sources use, after developer.apple.com/documentation/uikit. The selectors belong to Foundation and the
// class methods of NSObject, which only Objective-C has.
import Foundation

public struct Selector: Hashable, Sendable {}
public func NSSelectorFromString(_ aSelectorName: String) -> Selector { fatalError() }

@MainActor open class UIResponder: NSObject {
  nonisolated open class func responds(to aSelector: Selector!) -> Bool { false }
  nonisolated open class func perform(_ aSelector: Selector!) -> Unmanaged<AnyObject>! { nil }
}

@MainActor open class UIApplication: UIResponder {
  open var connectedScenes: Set<UIScene> { [] }
}

@MainActor open class UIScene: UIResponder {
  public enum ActivationState: Int, Sendable {
    case unattached = -1
    case foregroundActive, foregroundInactive, background
  }
  open var activationState: ActivationState { .unattached }
}

@MainActor open class UIWindowScene: UIScene {
  open var keyWindow: UIWindow? { nil }
}

@MainActor open class UIWindow: UIResponder {}
