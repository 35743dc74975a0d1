import Promises

/// Takes a server's connections in; on the loop's thread only.
final class Listener: EventLoop.Client {
  private let socket: Socket
  private let core: ServerCore
  private var token: UInt64 = 0
  private var isWaiting = false
  private var isClosed = false

  init(_ socket: Socket, _ core: ServerCore) {
    self.socket = socket
    self.core = core
    token = core.loop.watch(socket.descriptor, for: .readable, self)
  }

  func handle(_ readiness: Readiness) {
    do {
      // Not without end, so that a flood of connections leaves time for those that are there.
      for _ in 0..<64 {
        guard core.hasRoom else { return wait() }
        guard let accepted = try socket.accept() else { return }
        core.open(accepted)
        if isClosed { return }
      }
    } catch {
      pause()
    }
  }

  /// Takes none in until a connection has closed.
  private func wait() {
    isWaiting = true
    core.loop.change(socket.descriptor, to: [], token)
  }

  /// Without descriptors left there is nothing to be done until some connection ends, and the listening
  /// socket would be ready all the time.
  private func pause() {
    core.loop.change(socket.descriptor, to: [], token)
    isWaiting = true
    _ = LiveScheduler.live.schedule(after: .milliseconds(20)) { [core] in
      core.loop.execute { core.listener?.resume() }
    }
  }

  func resume() {
    guard isWaiting, !isClosed else { return }
    isWaiting = false
    core.loop.change(socket.descriptor, to: .readable, token)
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    core.loop.ignore(socket.descriptor, token)
    socket.closeListening()
  }
}
