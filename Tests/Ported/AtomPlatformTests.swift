import Foundation
import Mocking
import Networking
import Promises
import PromisesCombine
import TestGate
import TestSupport
import Testing

#if canImport(Combine)
  import Combine
#endif
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The samples of Atom for Apple platforms, and their counterparts on the others.
@Suite(.gated)
struct AtomPlatformTests {
  private let server: MockServer

  init() throws {
    server = try MockServer { Route(.get, "/seatmap", .json(["seats": ["1A", "1B"]])) }
  }

  @Test("T11: publishers of Combine, and asynchronous sequences on all platforms")
  func publishers() async throws {
    let atom = Networking<Seatmap.Endpoint>(to: server)
    #if canImport(Combine)
      // sample T11
      let seatmaps = atom.request(.refresh).validate().decode(Seatmap.self).publisher.values
      // end
      var seats: [[String]] = []
      for try await seatmap in seatmaps { seats.append(seatmap.seats) }
      #expect(seats == [["1A", "1B"]])
    #else
      let events = atom.events
      _ = try await atom.request(.refresh).validate().decode(Seatmap.self).value
      for await event in events where event.isFinal {
        #expect(event.request?.method == .get)
        break
      }
    #endif
  }

  @Test("T12: Multipath TCP")
  func multipath() async throws {
    // sample T12
    let configuration = URLSessionConfiguration.ephemeral
    #if os(iOS)
      configuration.multipathServiceType = .handover
    #endif
    let atom = Networking<Request>(sessionConfiguration: .custom(configuration))
    // end
    atom.baseURL = server.url
    #expect(try await atom.request(.get("seatmap")).validate().value.status == 200)
  }
}
