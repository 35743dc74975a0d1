#if os(Linux) || os(macOS)
  import CatenaSystem
  import Foundation
  import Mocking
  import Networking
  import TestSupport

  /// A check of received bytes against the pattern 0 to 255 of a `.bytes` mock.
  ///
  /// The bytes are counted and not stored.
  struct BytePattern {
    private(set) var count = 0
    private(set) var isInOrder = true

    mutating func take(_ piece: Data) {
      let shift = count & 0xFF
      isInOrder =
        isInOrder
        && piece.withUnsafeBytes { bytes in
          // Only samples of each piece are checked, because checking every byte would take minutes.
          stride(from: 0, to: bytes.count, by: 4_093).allSatisfy {
            bytes[$0] == UInt8(truncatingIfNeeded: shift + $0)
          }
        }
      count += piece.count
    }

    /// Returns the same bytes as a stream that is generated in pieces of 64 KiB while it is sent.
    static func stream(_ count: Int, declaresLength: Bool) -> BodyStream {
      let piece = Data((0..<65_536).map { UInt8(truncatingIfNeeded: $0) })
      return BodyStream(length: declaresLength ? Int64(count) : nil) {
        Pieces(piece: piece, remaining: count)
      }
    }

    private struct Pieces: AsyncSequence, AsyncIteratorProtocol {
      let piece: Data
      var remaining: Int

      func makeAsyncIterator() -> Pieces { self }

      mutating func next() async -> Data? {
        guard remaining > 0 else { return nil }
        let next = piece.prefix(remaining)
        remaining -= next.count
        return next
      }
    }
  }

  /// A gate that suspends a backend's handlers until a test opens it or their clients cancel.
  final class Gate: Sendable {
    private struct State {
      var openings = 0
      var waiters: [(count: Int, isFree: Log<Void>)] = []
    }

    /// The handlers that were cancelled because their clients disconnected.
    let cancelled = Log<Void>()
    private let state = Mutex(State())

    /// Opens the gate for the next count.
    func open() {
      let freed = state.withLock { state in
        state.openings += 1
        return state.waiters.filter { $0.count <= state.openings }
      }
      for waiter in freed { waiter.isFree.append(()) }
    }

    /// Waits until the gate has been opened `count` times or the task is cancelled.
    func pass(_ count: Int = 1) async {
      let isFree = Log<Void>()
      let isOpen = state.withLock { state in
        state.waiters.append((count, isFree))
        return count <= state.openings
      }
      if isOpen { return }
      await withTaskCancellationHandler {
        _ = await isFree.entries(1)
      } onCancel: {
        cancelled.append(())
        isFree.append(())
      }
    }
  }

  /// A transport that routes each request to the transport of its origin, like a network.
  ///
  /// Other requests fail as on a network: host names below `invalid` do not resolve, and other
  /// connections are refused.
  struct OriginTransport: Transport {
    private let origins: [(url: URL, transport: any Transport)]
    private let unresolved = MockTransport { Route(nil, "/{rest*}") { _ in .failure(.dnsFailed) } }
    private let refused = MockTransport {
      Route(nil, "/{rest*}") { _ in .failure(.cannotConnect) }
    }

    init(_ origins: [(url: URL, transport: any Transport)]) {
      self.origins = origins
    }

    func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
    ) -> any TransportHandle {
      let url = request.url
      let origin = origins.first {
        $0.url.scheme == url.scheme && $0.url.host == url.host && $0.url.port == url.port
      }
      let nowhere = url.host?.hasSuffix(".invalid") == true ? unresolved : refused
      return (origin?.transport ?? nowhere).start(request, receive)
    }
  }
#endif
