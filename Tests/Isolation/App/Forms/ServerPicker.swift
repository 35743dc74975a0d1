import Foundation
import Networking

@MainActor final class ServerPicker {
  var tenant = "red"
  private let networking = Networking<BoardsAPI>()

  func use(_ server: URL) {
    networking.baseURL = server
    networking.preProcessRequest = { [tenant] request in
      var request = request
      request.headers["X-Tenant"] = tenant
      return request
    }
  }
}
