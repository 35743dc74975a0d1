import CatenaSystem
import Foundation
import TestGate
import Testing

@testable import Networking

@Suite(.gated)
struct ParameterEncodersTests {
  private struct Upper: ParameterEncoding {
    func encode(_ parameters: Parameters) throws -> EncodedParameters {
      .body([.data(Data("UP".utf8))], contentType: "text/up")
    }
  }

  @Test func eachContentTypeHasAnEncoder() {
    var encoders = ParameterEncoders()
    #expect((encoders.encoder(for: .query) as? FieldEncoder)?.escaping == .url)
    #expect((encoders.encoder(for: .formURLEncoded) as? FieldEncoder)?.escaping == .form)
    #expect(encoders.encoder(for: .json) is JSONParameterEncoder)
    #expect(encoders.encoder(for: .multipartFormData) is MultipartEncoder)
    encoders.json = Upper()
    encoders.custom["text/up"] = Upper()
    #expect(encoders.encoder(for: .json) is Upper)
    #expect(encoders.encoder(for: .custom("text/up")) is Upper)
    #expect(ParameterEncoders().encoder(for: .json) is JSONParameterEncoder)
  }

  @Test(arguments: [
    "application/json", "application/vnd.api+json", "Application/JSON; charset=utf-8",
  ])
  func customJSONTypesAreEncodedAsJSON(type: String) throws {
    #expect(
      try ParameterEncoders().encoder(for: .custom(type)).encode([1])
        == .body([.data(Data("[1]".utf8))], contentType: type))
  }

  @Test func customJSONTypesUseTheEncoderOfJSON() throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    var encoders = ParameterEncoders()
    encoders.json = JSONParameterEncoder(encoder: encoder)
    #expect(
      try encoders.encoder(for: .custom("application/vnd.api+json")).encode(["boardID": 1])
        == .body(
          [.data(Data(#"{"board_id":1}"#.utf8))], contentType: "application/vnd.api+json"))
    encoders.json = Upper()
    #expect(
      try encoders.encoder(for: .custom("application/json")).encode(["boardID": 1])
        == .body([.data(Data(#"{"boardID":1}"#.utf8))], contentType: "application/json"))
  }

  @Test func otherCustomTypesAcceptTextOrBytes() throws {
    let encoder = ParameterEncoders().encoder(for: .custom("text/csv"))
    #expect(
      try encoder.encode("a,b") == .body([.data(Data("a,b".utf8))], contentType: "text/csv"))
    #expect(
      try encoder.encode(.data(Data([1]))) == .body([.data(Data([1]))], contentType: "text/csv"))
    let error = #expect(throws: ParameterEncodingError.self) { try encoder.encode(["a": 1]) }
    #expect(
      error?.description == "the root of the parameters must be a string or data, because there is "
        + "no encoder for text/csv")
  }

  @Test func methodsHaveADefaultEncoding() {
    for method in [HTTPMethod.get, .head, .delete, .options] {
      #expect(ContentType.standard(for: method) == .query)
    }
    for method in [HTTPMethod.post, .put, .patch] {
      #expect(ContentType.standard(for: method) == .json)
    }
  }
}
