import Foundation
import Observation

/// The state of the app: its settings, and the workspace that they select.
@MainActor @Observable
public final class AppModel {
  /// The key of the setting in the user defaults.
  ///
  /// The launch argument `-UsesDemo NO` overrides the setting.
  public static let usesDemoKey = "UsesDemo"

  /// The models of the screens, which are replaced when the backend changes.
  public private(set) var workspace: Workspace
  /// Whether the app works with the demo server, which is the default.
  public var usesDemo: Bool {
    didSet {
      defaults.set(usesDemo, forKey: Self.usesDemoKey)
      workspace = Workspace(usesDemo ? demo.backend : .live())
    }
  }
  /// Whether the demo has a network.
  public var demoIsReachable = true {
    didSet { demo.isReachable = demoIsReachable }
  }
  @ObservationIgnored private let demo = DemoServer()
  @ObservationIgnored private let defaults: UserDefaults

  /// Creates the state from the user's settings.
  ///
  /// - Parameter defaults: The settings.
  public init(defaults: UserDefaults = .standard) {
    let usesDemo =
      defaults.object(forKey: Self.usesDemoKey) == nil
      || defaults.bool(forKey: Self.usesDemoKey)
    self.defaults = defaults
    self.usesDemo = usesDemo
    workspace = Workspace(usesDemo ? demo.backend : .live())
  }
}
