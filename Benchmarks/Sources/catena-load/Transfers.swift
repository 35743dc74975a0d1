import Foundation
import LoadSupport
import Mocking

/// The download or upload of one large file.
struct Transfers {
  private let client: Networking<Request>
  private let file: URL

  init(_ arguments: Arguments) {
    client = Client.make(arguments)
    file = URL(fileURLWithPath: arguments["file"] ?? "")
  }

  func download() async {
    await Outcome.print(of: 1) {
      await once { client.download(.get("large"), to: file) }
    }
  }

  func upload() async {
    await Outcome.print(of: 1) {
      await once { client.request(.upload(file: file, to: "up", method: .put)) }
    }
  }

  private func once(_ start: @escaping @Sendable () -> NetworkPromise) async -> Int {
    await Lanes(1, atOnce: 1).awaiting { _ in _ = try await start().validate().value }
  }
}
