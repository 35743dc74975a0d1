import Networking

@MainActor final class NotesSync {
  private(set) var fraction = 0.0
  private(set) var summary = ""
  private let networking = Networking<BoardsAPI>()

  func create(_ title: String) {
    networking.request(BoardsAPI.create(title: title), .storedOffline)
      .fail { error in
        if (error as? NetworkError)?.isStoredOffline == true { self.summary = "saved for later" }
      }
  }

  func sendStored() {
    networking.replay { progress in
      self.fraction = Double(progress.completed) / Double(progress.total)
    }
    .done { report in self.summary = "\(report.delivered.count) sent" }
  }
}
