import Foundation
import Networking

@MainActor final class PictureUpload {
  private(set) var fraction = 0.0
  private(set) var status = ""
  private let networking = Networking<BoardsAPI>()

  func send(_ picture: Data, to id: Int) {
    var form = MultipartFormData()
    form.append("A fish", name: "caption")
    form.append(picture, name: "picture", filename: "fish.png", contentType: "image/png")

    networking.request(
      .attach(form, id: id), .onProgress { self.fraction = $0.sent.fraction ?? 0 }
    )
    .validate()
    .done { _ in self.status = "sent" }
    .fail { error in self.status = "\(error)" }
  }
}
