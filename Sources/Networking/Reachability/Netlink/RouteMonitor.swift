#if os(Linux)
  import Dispatch

  /// What Linux's kernel tells of the network, over its routing socket.
  struct RouteMonitor: ReachabilityMonitoring {
    /// Called once a socket has been closed, for tests.
    var onClose: @Sendable () -> Void = {}

    func start(
      _ report: @escaping @Sendable (NetworkReachability.Status) -> Void
    ) -> @Sendable () -> Void {
      guard let socket = RouteSocket() else {
        onClose()
        return {}
      }
      let session = Session(socket, report, onClose: onClose)
      session.start()
      return { session.stop() }
    }
  }

  extension RouteMonitor {
    /// One socket, from its opening to its close.
    ///
    /// `@unchecked Sendable` because the socket and the machine are touched on the queue alone, and a
    /// dispatch source may be used from any thread.
    private final class Session: @unchecked Sendable {
      private let queue = DispatchQueue(label: "Catena.RouteMonitor")
      private let source: any DispatchSourceRead
      private let report: @Sendable (NetworkReachability.Status) -> Void
      private var socket: RouteSocket
      private var machine: RoutingMachine

      init(
        _ socket: RouteSocket, _ report: @escaping @Sendable (NetworkReachability.Status) -> Void,
        onClose: @escaping @Sendable () -> Void
      ) {
        self.socket = socket
        self.report = report
        machine = RoutingMachine(port: socket.port)
        source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        // The source keeps the session alive until it is cancelled; that releases its handlers.
        source.setEventHandler { self.receiveAll() }
        // Not before: the source must not watch a number that may be another file's by then.
        source.setCancelHandler {
          socket.close()
          onClose()
        }
      }

      /// Takes a first look.
      ///
      /// The kernel answers while it is asked, so that the look ends within this call.
      func start() {
        queue.sync {
          perform(machine.start())
          receiveAll()
        }
        source.activate()
      }

      func stop() {
        source.cancel()
      }

      private func receiveAll() {
        while !source.isCancelled {
          switch socket.receive() {
          case .datagram(let bytes): perform(machine.receive(bytes))
          case .loss: perform(machine.lostMessages())
          case .nothing: return
          case .failure:
            report(.unknown)
            return stop()
          }
        }
      }

      private func perform(_ actions: [RoutingMachine.Action]) {
        for action in actions {
          switch action {
          case .send(let bytes): if !socket.send(bytes) { perform(machine.sendFailed()) }
          case .report(let status): report(status)
          }
        }
      }
    }
  }
#endif
