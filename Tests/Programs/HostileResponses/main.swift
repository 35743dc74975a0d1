// Sends a client responses that once crashed it, or were taken for the response to another request.
//
//   swift run --sanitize=address --package-path Tests/Programs hostile-responses
//
// The exit status is 1 if a response is a wrong one.

import Foundation
import Networking
import ProgramSupport

#if os(Linux)
  let sent = Log<Void>()
  let server = try ScriptedServer { request in
    switch request.target {
    // Traps in Foundation's cookie parser.
    case "/cookie": [.respond("200 OK", ["Set-Cookie: 😀😀😀=1", "Set-Cookie: a=1; 😀😀😀=1"])]
    // libcurl from 7.84 to 8.0.1 writes to freed memory for it.
    case "/folded": [.text("HTTP/1.1 200 OK\r\n folded\r\nContent-Length: 0\r\n\r\n")]
    // The second response arrives on the kept connection before the next request.
    case "/twice":
      [
        .respond(), .respond("200 OK", [], Data("of another request".utf8)),
        .run { sent.append(()) },
      ]
    default: [.respond("200 OK", [], Data(request.target.utf8))]
    }
  }
  let client = Networking<Request>()

  /// Ends the program if a response is not the expected one.
  func expect(_ path: String, _ isRight: (Result<Response, any Error>) -> Bool) async {
    let result = await client.request(.get(RequestPath(raw: "\(server.url(path))"))).result
    guard isRight(result) else {
      print("the result of \(path) is wrong: \(result)")
      exit(1)
    }
  }

  for round in 1...50 {
    for path in ["/cookie", "/folded", "/twice"] {
      await expect(path) { result in
        switch result {
        case .success(let response): path != "/folded" && response.status == 200
        case .failure(let error):
          path == "/folded" && (error as? NetworkError)?.code == .malformedResponse
        }
      }
      // A response that arrives after the next request is sent cannot be told from a right one.
      if path == "/twice" { _ = await sent.entries(round) }
      await expect("/next\(round)") { (try? $0.get().data) == Data("/next\(round)".utf8) }
    }
  }
  print("150 hostile responses harmed no later request")
#endif
