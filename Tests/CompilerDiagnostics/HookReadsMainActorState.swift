// expect: main actor-isolated property 'tenant' can not be referenced from a Sendable closure
import Networking

@MainActor final class ServerPicker {
  var tenant = "red"
  private let networking = Networking<Request>()

  func start() {
    networking.preProcessRequest = { request in
      var request = request
      request.headers["X-Tenant"] = self.tenant
      return request
    }
  }
}
