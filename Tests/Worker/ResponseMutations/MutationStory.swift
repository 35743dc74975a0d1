#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import TestSupport

  /// Valid exchanges of one client, of whose responses one is changed, by a seed.
  struct MutationStory: Sendable {
    /// A text and its gzip member, made by gzip.
    static let text = String(repeating: "compressed, and taken off again\n", count: 8)
    static let gzipped =
      Data(
        base64Encoded:
          "H4sIAAAAAAACA0vOzy0oSi0uTk3RUUjMS1EoScxOzVPIT0tTSExPzMzjSh7m8gAz13AXAAEAAA==")
      ?? Data()

    /// A request of the client, to the target of a response.
    struct Call: Sendable {
      let method: String
      let index: Int
    }

    /// How the changed response is sent.
    enum Delivery: Sendable {
      case whole
      case bytewise
    }

    let seed: UInt64
    private(set) var calls: [Call] = []
    /// The valid responses.
    private(set) var responses: [Data] = []
    /// The index of the changed response.
    let changedIndex: Int
    let changes: [String]
    let delivery: Delivery
    /// The method of the request for the changed response.
    let changedMethod: String

    init(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      self.seed = seed
      var calls: [Call] = []
      var responses: [Data] = []
      for number in 0..<Int.random(in: 1...4, using: &random) {
        // A POST may be lost on a kept connection that the previous response has ended.
        let methods = number == 0 ? ["GET", "GET", "HEAD", "POST"] : ["GET", "GET", "GET", "HEAD"]
        let method = methods.randomElement(using: &random) ?? "GET"
        calls.append(Call(method: method, index: responses.count))
        if Int.random(in: 0..<5, using: &random) == 0 {
          responses.append(Self.redirect(seed, to: responses.count + 1, &random))
        }
        responses.append(Self.response(seed, responses.count, to: method, &random))
      }
      self.calls = calls
      changedIndex = Int.random(in: 0..<responses.count, using: &random)
      changedMethod = calls.last { [changedIndex] in $0.index <= changedIndex }?.method ?? "GET"
      let (changed, changes) = Mutation.apply(
        to: responses[changedIndex], others: responses, &random)
      responses[changedIndex] = changed
      self.responses = responses
      self.changes = changes
      // Bytes after the response must not arrive while the client already sends the next request.
      let reading = ReadResponse(changed, to: changedMethod)
      delivery =
        reading.excess == 0 && Int.random(in: 0..<6, using: &random) == 0 ? .bytewise : .whole
    }

    /// Returns the target of a response.
    func target(_ index: Int) -> String { "/story/\(seed)/\(index)" }

    /// Returns the index of the response for a target, or `nil`.
    func index(of target: String) -> Int? {
      responses.indices.first { target == self.target($0) }
    }

    /// The response to all other targets.
    static let unknown = Data("HTTP/1.1 404 Not Found\r\nContent-Length: 7\r\n\r\nunknown".utf8)

    /// Returns the steps of the server for a request.
    func steps(_ request: RawRequest) -> [ScriptedServer.Step] {
      guard let index = index(of: request.target) else { return [.send(Self.unknown)] }
      let data = responses[index]
      guard index == changedIndex else {
        return data.isKept ? [.send(data)] : [.send(data), .close]
      }
      let send: ScriptedServer.Step = delivery == .whole ? .send(data) : .sendBytewise(data)
      let reading = ReadResponse(data, to: request.method)
      let isKept = reading.end == .complete && reading.deviations.isEmpty && data.isKept
      return isKept && !reading.endsWithConnection ? [send] : [send, .close]
    }

    // MARK: Valid responses

    private static func response(
      _ seed: UInt64, _ index: Int, to method: String, _ random: inout SeededGenerator
    ) -> Data {
      let token = "token-\(seed)-\(index)"
      let fields = fields(token, &random)
      let ok = ["HTTP/1.1 200 OK"] + fields
      let body = Data("body of \(token)\n".utf8)
      let length = "Content-Length: "
      let chunked = "Transfer-Encoding: chunked"
      let kind = Int.random(in: 0..<11, using: &random)
      let isHead = method == "HEAD"
      switch kind {
      case 0: return head(["HTTP/1.1 204 No Content"] + fields)
      case 1: return head(["HTTP/1.1 304 Not Modified"] + fields + ["ETag: \"1\""])
      case 2:
        let status = ["404 Not Found", "500 Internal Server Error", "201 Created"]
        let line = "HTTP/1.1 \(status.randomElement(using: &random) ?? "")"
        return head([line] + fields + [length + "\(body.count)"]) + (isHead ? Data() : body)
      case 3:
        return head(["HTTP/1.1 103 Early Hints", "Link: </a>; rel=preload"])
          + head(ok + [length + "\(body.count)"]) + (isHead ? Data() : body)
      case 4: return head(ok + ["Connection: close"]) + (isHead ? Data() : body)
      case 5:
        return head(ok + ["Content-Encoding: gzip", length + "\(gzipped.count)"])
          + (isHead ? Data() : gzipped)
      case 6:
        return head(ok + ["Content-Encoding: gzip", chunked])
          + (isHead ? Data() : chunks(gzipped, &random))
      case 7, 8: return head(ok + [chunked]) + (isHead ? Data() : chunks(body, &random))
      default: return head(ok + [length + "\(body.count)"]) + (isHead ? Data() : body)
      }
    }

    private static func redirect(
      _ seed: UInt64, to index: Int, _ random: inout SeededGenerator
    ) -> Data {
      let status = ["302 Found", "307 Temporary Redirect", "303 See Other"]
        .randomElement(using: &random)
      let fields = ["Location: /story/\(seed)/\(index)", "Content-Length: 5"]
      return head(["HTTP/1.1 \(status ?? "")"] + fields) + Data("moved".utf8)
    }

    private static func fields(_ token: String, _ random: inout SeededGenerator) -> [String] {
      let others = [
        "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Content-Type: text/plain; charset=utf-8",
        "Set-Cookie: a=\(token); Path=/; Max-Age=60", "Set-Cookie: b=1; HttpOnly; SameSite=Lax",
        "Cache-Control: no-store", "Vary: Accept-Encoding", "Server: test",
      ]
      return others.filter { _ in Int.random(in: 0..<3, using: &random) == 0 } + [
        "X-Token: \(token)"
      ]
    }

    private static func head(_ lines: [String]) -> Data {
      Data((lines + ["", ""]).joined(separator: "\r\n").utf8)
    }

    private static func chunks(_ body: Data, _ random: inout SeededGenerator) -> Data {
      var data = Data()
      var rest = body[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...24, using: &random))
        rest = rest.dropFirst(piece.count)
        let name = Int.random(in: 0..<5, using: &random) == 0 ? ";a=b" : ""
        data +=
          Data("\(String(piece.count, radix: 16))\(name)\r\n".utf8) + piece + Data("\r\n".utf8)
      }
      return data + Data("0\r\n\r\n".utf8)
    }
  }

  extension Data {
    /// Whether a valid response lets its connection stay open.
    fileprivate var isKept: Bool { !latin1.contains("Connection: close") }
  }

  extension MutationStory: CustomStringConvertible {
    /// The calls, the changes, and the bytes of all responses.
    var description: String {
      var lines = ["seed \(seed): \(changes.joined(separator: ", ")), sent \(delivery)"]
      lines += calls.map { "  \($0.method) \(target($0.index))" }
      for (index, response) in responses.enumerated() {
        let mark = index == changedIndex ? " (changed)" : ""
        lines.append("  response \(index)\(mark):")
        let text = response.escaped().replacing("\\n", with: "\\n\n    ")
        lines.append("    \(text)")
      }
      return lines.joined(separator: "\n")
    }
  }
#endif
