import BoardsKit
import SwiftUI

/// The number of changes that wait, and the reason why a change was not saved.
struct OutboxView: View {
  let outbox: Outbox
  let message: String?

  var body: some View {
    VStack {
      if let message = message ?? outbox.message {
        Text(message).foregroundStyle(.red)
      }
      if !outbox.waiting.isEmpty {
        HStack {
          Label("\(outbox.waiting.count) cards wait for a network", systemImage: "clock")
          Button("Send Now") { outbox.replay() }
        }
      }
    }
    .padding()
  }
}
