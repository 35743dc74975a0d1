import Foundation
import Networking

/// The body of a request that is forwarded while it is received.
extension Connection {
  /// Starts the response to a request whose body is too large to be kept.
  ///
  /// The journal records the request without its body.
  ///
  /// - Parameter piece: The first bytes of the body.
  func startUpload(_ piece: Data) {
    guard let head else { return }
    let pipe = BodyPipe()
    pipe.attach(UploadProducer(connection: self))
    pipe.append(piece)
    upload = pipe
    var body = RequestBody()
    var length: Int64?
    body.byteCount = piece.count
    if case .sized(let declared) = head.framing {
      body.byteCount = declared
      length = Int64(declared)
    }
    handle(body, stream: BodyStream(length: length, once: BodyPipe.Pieces(pipe: pipe)))
  }

  /// Passes received bytes of the body on, until the buffer is full.
  func continueUpload() {
    while let upload, phase == .handling || phase == .playing, !upload.isFull {
      switch parser.next() {
      case .bodyPiece(let piece): upload.append(piece)
      case .request(let body):
        upload.append(body.data)
        upload.finish(isComplete: true)
        self.upload = nil
      case .parseError(let error): rejectUpload(error)
      case .head, nil: return
      }
    }
  }

  /// Responds to a request whose body is malformed, unless its response has already started.
  private func rejectUpload(_ error: HTTPParseError) {
    endUpload()
    guard phase == .handling else { return close(by: .server) }
    let pending = pending.take()
    reporter?.report(.response(status: error.status))
    play(errorScript(error))
    pending?.cancel()
  }

  /// Ends the body of the current request, which is incomplete.
  func endUpload() {
    upload.take()?.finish(isComplete: false)
  }
}

/// The handle of a client that sends a body.
///
/// While the buffer is full, the connection passes no bytes on and stops reading the socket.
private struct UploadProducer: TransportHandle {
  weak var connection: Connection?

  func suspend() {}

  func resume() {
    guard let connection else { return }
    connection.core.loop.execute { [weak connection] in connection?.process() }
  }

  /// Continues too, so that the connection discards the rest of the body.
  func cancel() { resume() }
}
