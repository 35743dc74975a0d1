import BoardsKit
import SwiftUI

/// The boards of the user, or the sign-in.
struct RootView: View {
  @Environment(AppModel.self) private var app

  var body: some View {
    let workspace = app.workspace
    Group {
      if workspace.account.isSignedIn {
        BoardsView(workspace: workspace)
      } else {
        SignInView(account: workspace.account)
      }
    }
    .id(ObjectIdentifier(workspace))
  }
}
