import Foundation
import Testing

@testable import Networking

struct LoopbackTests {
  @Test(arguments: [
    "http://localhost", "https://LocalHost:8443/a", "http://boards.localhost/",
    "http://127.0.0.1:80",
    "http://127.8.9.255?q", "http://[::1]:8080/x", "http://[::1]", "http://ann:secret@localhost/",
  ])
  func thisMachineIsKnownByItsNames(url: String) {
    #expect(origin(url)?.isLoopback == true)
  }

  @Test(arguments: [
    "http://example.com/localhost", "http://localhost.example.com", "http://127.0.0.1.example.com",
    "http://127.example.com", "http://127.0.0.256", "http://128.0.0.1", "http://notlocalhost",
    "http://[::2]", "http://example.com?localhost", "http://10.0.0.1", "http://", "localhost",
  ])
  func otherMachinesAreNot(url: String) {
    #expect(origin(url)?.isLoopback != true)
  }

  private func origin(_ url: String) -> Origin? { URL(string: url).flatMap { Origin($0) } }
}
