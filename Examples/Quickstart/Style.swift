import Foundation

/// Colour where somebody looks at it: on a terminal, and without `NO_COLOR`.
struct Style {
  private let isOn: Bool

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    isOn =
      isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM"] != "dumb"
  }

  func bold(_ text: String) -> String { wrap(text, "1") }
  func dim(_ text: String) -> String { wrap(text, "2") }
  func green(_ text: String) -> String { wrap(text, "32") }

  private func wrap(_ text: String, _ code: String) -> String {
    isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
