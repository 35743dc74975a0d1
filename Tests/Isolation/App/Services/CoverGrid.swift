import Foundation
import Networking

@MainActor final class CoverGrid {
  private(set) var covers: [Data] = []
  private let networking = Networking<BoardsAPI>()

  func cover(_ id: Int) -> Promise<Data> {
    networking.request(.cover(id: id)).validate().toData()
  }

  func load(_ ids: [Int]) {
    when(ids, concurrency: 4) { id in self.cover(id) }
      .done { covers in self.covers = covers }
      .fail { error in print(error) }
  }
}
