import CatenaTesting
import Foundation
import Testing

@testable import BoardsKit

@MainActor @Suite(.virtualTime)
final class AppModelTests {
  private let suite = UUID().uuidString
  private let defaults: UserDefaults

  init() throws {
    defaults = try #require(UserDefaults(suiteName: suite))
  }

  isolated deinit {
    defaults.removePersistentDomain(forName: suite)
  }

  @Test func theFirstStartHasTheDemo() async {
    let app = AppModel(defaults: defaults)
    #expect(app.usesDemo)
    app.workspace.account.signIn()
    await Test.virtualTime.run()
    #expect(app.workspace.account.isSignedIn)
  }

  @Test func theLaunchArgumentSelectsTheRealServers() {
    // The system puts the launch arguments into the user defaults.
    defaults.set("NO", forKey: AppModel.usesDemoKey)
    let app = AppModel(defaults: defaults)
    #expect(!app.usesDemo)
    #expect(app.workspace.backend.session.client.id == "boards-app")
  }

  @Test func theSwitchReplacesTheScreensAndIsKept() async {
    let app = AppModel(defaults: defaults)
    let before = app.workspace
    app.usesDemo = false
    #expect(app.workspace !== before)
    #expect(!AppModel(defaults: defaults).usesDemo)
    app.usesDemo = true
    #expect(app.workspace.backend.session.client.id == "app")
  }

  @Test func theNetworkOfTheDemoCanBeSwitchedOff() async {
    let app = AppModel(defaults: defaults)
    app.demoIsReachable = false
    app.workspace.account.signIn()
    await Test.virtualTime.run()
    #expect(app.workspace.account.message == "You are offline.")
  }
}
