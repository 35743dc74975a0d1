import Foundation
import NetworkingXML

// Writes and reads XML documents for the comparison `xml` of Tests/Differential.
//
//     xml-documents write COUNT SEED
//     xml-documents copy
//     xml-documents soap URL
//
// `write` prints COUNT random trees as JSON, one a line, each with its compact and its indented document in
// Base64. `copy` reads documents in Base64 from the standard input, one a line, and prints each one as written
// anew, or "error: " and the kind and the description of the error. `soap` calls the operations of the server
// in Tests/Differential, with SOAP 1.1 and 1.2 at URL/1.1 and URL/1.2, and prints the results.

func write(_ count: Int, _ seed: UInt64) throws {
  var trees = RandomTrees(seed: seed)
  for _ in 0..<count {
    let document = trees.document()
    let line: JSON = [
      "tree": document.root.json,
      "compact": .string(try document.data().base64EncodedString()),
      "indented": .string(try document.data(.indented).base64EncodedString()),
      "again": .bool(try XML.Document(parsing: document.data()) == document),
    ]
    print(line)
  }
}

func copy() {
  while let line = readLine() {
    guard let data = Data(base64Encoded: line) else { exit(2) }
    do {
      print(try XML.Document(parsing: data).data().base64EncodedString())
    } catch {
      print("error: \(error.code) \(error)")
    }
  }
}

func call(_ url: String) async throws {
  let service = XML.Namespace("urn:example:calculator", prefix: "c")
  for version in SOAPEnvelope.Version.allCases {
    let address = RequestPath(raw: "\(url)/\(version == .soap11 ? "1.1" : "1.2")/")
    let networking = Networking<Request>()
    networking.callbackContext = .inline
    func response(_ operation: XML) async throws -> SOAPEnvelope {
      let header = service("Trace") { service("id") { "t-\(version)" } }
      let envelope = SOAPEnvelope(version, header: [header]) { operation }
      return try await networking.request(
        try .soap(envelope, to: address, action: operation.name.local)
      ).toSoap().value
    }
    let sum = try await response(
      service("add") {
        service("a") { 40 }
        service("b") { 2 }
      })
    print("\(version) sum \(sum.body.first?["addResult"]?.int ?? -1)")
    let text = "<&>\"'\u{E9}\u{1F980} ]]> \t end"
    let echo = try await response(service("echo") { service("text") { text } })
    print("\(version) echo \(echo.body.first?["echoResult"]?.string == text)")
    do {
      _ = try await response(service("fail") { service("reason") { "no <such> item" } })
      print("\(version) no fault")
    } catch let error as NetworkError {
      guard let fault = error.soapFault else { throw error }
      print(
        "\(version) fault \(error.code) \(fault.code.local) \(fault.subcodes.map(\.local))"
          + " \(fault.code.namespace?.uri ?? "-") \(fault.reason)"
          + " \(fault.isSenderFault) \(fault.detail.map { $0.first("key")?.string ?? $0.string })")
    }
  }
}

let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.count) {
case ("write", 3):
  try write(Int(arguments[2]) ?? 0, UInt64(arguments[3]) ?? 0)
case ("copy", 1):
  copy()
case ("soap", 2):
  try await call(arguments[2])
default:
  print("usage: xml-documents write COUNT SEED | copy | soap URL")
  exit(2)
}
