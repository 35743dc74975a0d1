import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// A JSON encoder that puts the parameters into an envelope.
private struct CustomJSONEncoder: ParameterEncoding {
  func encode(_ parameters: Parameters) throws -> EncodedParameters {
    try JSONParameterEncoder().encode(["data": parameters])
  }
}

private struct CustomXMLEncoder: ParameterEncoding {
  func encode(_ parameters: Parameters) throws -> EncodedParameters {
    guard case .dictionary(let members) = parameters else { throw TestError("not a dictionary") }
    let elements = members.map { "<\($0.name)>\($0.value)</\($0.name)>" }
    return .body([.data(Data(elements.joined().utf8))], contentType: "application/xml")
  }
}

/// Malibu: encoders of parameters.
@Suite(.gated)
struct MalibuEncoderTests {
  /// Sends the parameters as JSON and as XML to a server, and compares the bodies.
  private static func checkBodies(_ configuration: NetworkingConfiguration) async throws {
    let server = try sampleServer()
    let networking = Networking<Request>(to: server, configuration: configuration)
    networking.callbackContext = .inline
    for type in [ContentType.json, .custom("application/xml")] {
      let request = Request.post(
        "http://sharkywaters.com/boards", parameters: ["title": 7], contentType: type)
      _ = try await networking.request(request).validate().value
    }
    let received = server.receivedRequests
    #expect(received.map(\.text) == [#"{"data":{"title":7}}"#, "<title>7</title>"])
    #expect(received.map { $0.headers["Content-Type"] } == ["application/json", "application/xml"])
  }

  @Test("M7: encoders of a client") func encodersOfAClient() async throws {
    var configuration = NetworkingConfiguration.isolated
    // sample M7
    configuration.encoders.json = CustomJSONEncoder()
    configuration.encoders.custom["application/xml"] = CustomXMLEncoder()
    // end
    try await Self.checkBodies(configuration)
  }

  #if os(Linux) || os(macOS)
    /// Runs in a separate process, because the configuration belongs to the whole process.
    @Test("M7b: encoders of all clients") func encodersOfAllClients() async {
      await #expect(processExitsWith: .success) {
        // sample M7b
        NetworkingConfiguration.default.encoders.json = CustomJSONEncoder()
        NetworkingConfiguration.default.encoders.custom["application/xml"] = CustomXMLEncoder()
        // end
        try await Self.checkBodies(.default)
      }
    }
  #endif
}
