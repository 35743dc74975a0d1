#if os(Linux)
  import Foundation
  import Networking
  import TestSupport

  // Two connections with the same local and the same remote port, to different addresses. A test process
  // cannot enter a namespace, so CurlUnaskedBytesTests runs this worker in one.
  //
  //     shared-port
  //
  // The server sends the end of the response to `/first` together with another response. The program prints
  // the body of the next response of that host.
  enum SharedPort {
    static func run(_ arguments: [String]) async throws {
      guard system("ip link set lo up") == 0 else { exit(1) }
      let end = DispatchSemaphore(value: 0)
      let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
      let server = try ScriptedServer(allAddresses: true) { request in
        guard request.target == "/first" else {
          return [.respond("200 OK", [], Data(request.target.utf8))]
        }
        return [.text(head), .run { end.wait() }, .text("first\(head)other")]
      }
      try setPorts("20000 20000")
      var options = CurlTransport.Options()
      options.maximumConnectionsPerHost = 1
      let transport = CurlTransport(options: options)
      func request(_ host: String, _ path: String) -> HTTPRequest {
        HTTPRequest(url: LoopbackSocket.url(host: host, Int(server.port), path: path))
      }

      let hasHead = Log<Void>()
      let first = ExchangeRecorder(transport, request("127.0.0.2", "/first")) { event in
        if case .head = event { hasHead.append(()) }
      }
      _ = await hasHead.entries(1)
      // It waits for the connection of the first exchange, after the I/O thread has started the third one.
      let second = ExchangeRecorder(transport, request("127.0.0.2", "/second"))
      let third = await transport.perform(request("127.0.0.3", "/third"))
      guard third.body == Data("/third".utf8) else { exit(2) }
      try setPorts("20000 20010")
      end.signal()
      guard await first.record.body == Data("first".utf8) else { exit(3) }
      log(String(decoding: await second.record.body, as: UTF8.self))
    }

    private static func setPorts(_ range: String) throws {
      let setting = URL(fileURLWithPath: "/proc/sys/net/ipv4/ip_local_port_range")
      let file = try FileHandle(forWritingTo: setting)
      try file.write(contentsOf: Data(range.utf8))
      try file.close()
    }
  }
#endif
