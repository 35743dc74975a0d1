import DeviceSteps
import SwiftUI

/// The app of Tests/DEVICE.md: a button for each step, and the outcomes.
@main
struct DeviceApp: App {
  init() { LaunchLog.note() }

  var body: some Scene {
    WindowGroup { StepsView() }
  }
}

struct StepsView: View {
  @State private var host = "192.168.1.20"
  @State private var outcomes: [Outcome] = []

  var body: some View {
    NavigationStack {
      List {
        Section("Server") { TextField("Host", text: $host) }
        Section("Steps") {
          ForEach(Step.all) { step in
            Button("\(step.id). \(step.title)") { run(step) }
          }
        }
        Section("Outcomes") {
          ForEach(outcomes) { outcome in Text(outcome.text) }
        }
      }
      .navigationTitle("Device Plan")
    }
  }

  private func run(_ step: Step) {
    add("\(step.id): started")
    Task {
      do {
        let (passed, text) = await step.run(on: try await Device(host: host))
        add("\(step.id): \(passed ? "ok" : "FAILED") \(text)")
      } catch {
        add("\(step.id): no server: \(error)")
      }
    }
  }

  private func add(_ text: String) {
    outcomes.insert(Outcome(id: outcomes.count, text: text), at: 0)
  }
}

/// A line about a step, the last one first.
private struct Outcome: Identifiable {
  let id: Int
  let text: String
}
