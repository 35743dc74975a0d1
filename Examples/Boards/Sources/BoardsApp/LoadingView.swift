import BoardsKit
import SwiftUI

/// The value of a loader, the progress of its first request, or the reason why it failed.
///
/// The request is cancelled when the view disappears, and repeated when `version` changes.
struct LoadingView<Value: Sendable, Content: View>: View {
  let loader: Loader<Value>
  var version = 0
  @ViewBuilder let content: (Value) -> Content

  var body: some View {
    Group {
      if let value = loader.value {
        content(value)
          .refreshable(action: loader.load)
          .safeAreaInset(edge: .top) {
            if let message = loader.message { Text(message).foregroundStyle(.secondary) }
          }
      } else if let message = loader.message, !loader.isLoading {
        ContentUnavailableView {
          Label("Nothing Loaded", systemImage: "exclamationmark.triangle")
        } description: {
          Text(message)
        } actions: {
          Button("Try Again") { Task { await loader.load() } }
        }
      } else {
        ProgressView()
      }
    }
    .task(id: version) { await loader.load() }
  }
}
