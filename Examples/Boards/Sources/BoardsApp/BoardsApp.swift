import BoardsKit
import SwiftUI

@main
struct BoardsApp: App {
  @State private var app = AppModel()

  var body: some Scene {
    WindowGroup {
      RootView().environment(app)
    }
  }
}
