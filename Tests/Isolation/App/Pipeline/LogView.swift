import Networking

@MainActor final class LogView {
  private(set) var lines: [String] = []

  func client() -> Networking<BoardsAPI> {
    var configuration = NetworkingConfiguration()
    configuration.logging = LoggingConfiguration(
      .info, to: ClosureLogger { entry in self.lines += entry.lines })
    return Networking(configuration: configuration)
  }
}
