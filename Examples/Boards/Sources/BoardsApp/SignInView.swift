import BoardsKit
import SwiftUI

struct SignInView: View {
  let account: Account

  var body: some View {
    NavigationStack {
      ContentUnavailableView {
        Label("Boards", systemImage: "rectangle.stack")
      } description: {
        Text(account.message ?? "Sign in to see your boards.")
      } actions: {
        Button("Sign In") { account.signIn() }
          .buttonStyle(.borderedProminent)
          .disabled(account.isSigningIn)
      }
      .toolbar { SettingsButton() }
    }
  }
}
