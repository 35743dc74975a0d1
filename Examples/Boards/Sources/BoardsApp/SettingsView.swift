import BoardsKit
import SwiftUI

struct SettingsView: View {
  @Environment(AppModel.self) private var app
  @Environment(\.dismiss) private var dismiss

  var body: some View {
    @Bindable var app = app
    NavigationStack {
      Form {
        Section("Backend") {
          Toggle("Demo Server", isOn: $app.usesDemo)
          if app.usesDemo {
            Toggle("Network", isOn: $app.demoIsReachable)
          }
        }
        if app.workspace.account.isSignedIn {
          Button("Sign Out", role: .destructive) {
            app.workspace.account.signOut()
            dismiss()
          }
        }
      }
      .navigationTitle("Settings")
      .toolbar {
        Button("Done") { dismiss() }
      }
    }
  }
}
