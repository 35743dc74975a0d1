import Foundation
import Networking

@MainActor final class CoverDownload {
  private(set) var fraction = 0.0
  private(set) var file: URL?
  private let networking = Networking<BoardsAPI>()

  func start(to target: URL) {
    networking.download(
      .cover(id: 7), to: target,
      .onProgress { progress in
        self.fraction = progress.received.fraction ?? 0
      }
    )
    .validate()
    .done { response in self.file = response.file }
  }
}
