import SwiftUI

struct SettingsButton: View {
  @State private var isPresented = false

  var body: some View {
    Button("Settings", systemImage: "gearshape") { isPresented = true }
      .sheet(isPresented: $isPresented) { SettingsView() }
  }
}
