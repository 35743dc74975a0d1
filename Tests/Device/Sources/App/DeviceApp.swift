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
  @State private var lines: [String] = []

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
          ForEach(lines.indices, id: \.self) { number in Text(lines[number]) }
        }
      }
      .navigationTitle("Device Plan")
    }
  }

  private func run(_ step: Step) {
    lines.insert("\(step.id): started", at: 0)
    Task {
      do {
        let (passed, text) = await step.run(on: try await Device(host: host))
        lines.insert("\(step.id): \(passed ? "ok" : "FAILED") \(text)", at: 0)
      } catch {
        lines.insert("\(step.id): no server: \(error)", at: 0)
      }
    }
  }
}
