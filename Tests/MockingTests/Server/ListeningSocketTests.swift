#if os(Linux)
  import Foundation
  import Glibc
  import TestSupport
  import Testing

  @testable import Mocking

  @Suite(.timeLimit(.minutes(1)))
  struct ListeningSocketTests {
    @Test func onceClosedNobodyIsLetInThoughAProcessBeingStartedHasACopy() throws {
      let (socket, port) = try Socket.listening(on: 0)
      let copy = dup(socket.descriptor)
      defer { close(copy) }
      socket.closeListening()
      #expect(throws: POSIXError(.ECONNREFUSED)) { try RawClient(port: port) }
      let (again, same) = try Socket.listening(on: port)
      again.close()
      #expect(same == port)
    }

    @Test func noProcessStartedLaterHasTheSockets() throws {
      let (listener, port) = try Socket.listening(on: 0)
      defer { listener.closeListening() }
      let client = try RawClient(port: port)
      let accepted = try #require(try listener.accept())
      defer { accepted.close() }
      for socket in [listener, accepted] {
        #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK != 0)
      }
      withExtendedLifetime(client) {}
    }
  }
#endif
