#if os(Linux)
  import Foundation
  import Networking
  import Synchronization

  /// An exchange whose end makes a descriptor readable.
  final class Exchange: Sendable {
    /// The events of the exchange.
    struct Record: Sendable {
      var head: HTTPResponseHead?
      var heads = 0
      var body = Data()
      var failure: TransportFailure?
      /// The number of last events, which must be 1.
      var endings = 0
    }

    /// The descriptor that becomes readable at the end.
    let descriptor: Int32
    private let signal: Int32
    private let state = Mutex(Record())

    init() {
      var pair: [Int32] = [-1, -1]
      expect(pipe(&pair) == 0, "descriptors are available")
      (descriptor, signal) = (pair[0], pair[1])
    }

    deinit {
      close(descriptor)
      close(signal)
    }

    var record: Record { state.withLock { $0 } }

    var isAtEnd: Bool { record.endings > 0 }

    func start(_ request: HTTPRequest, over transport: CurlTransport) {
      _ = transport.start(request) { event in self.receive(event) }
    }

    private func receive(_ event: TransportEvent) {
      let isAtEnd = state.withLock { record in
        switch event {
        case .head(let head):
          record.head = head
          record.heads += 1
        case .body(let data): record.body += data
        case .failure(let failure): record.failure = failure
        case .connected, .servedLocally, .sent, .trailers, .end: break
        }
        switch event {
        case .end, .failure: record.endings += 1
        default: break
        }
        return record.endings > 0
      }
      if isAtEnd { _ = write(signal, [1] as [UInt8], 1) }
    }
  }
#endif
