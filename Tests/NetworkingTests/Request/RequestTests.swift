import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct RequestTests {
  private let whole = Request(
    .patch, "boards/\(7)", parameters: ["a": 1.0, "b": .data(Data([1]))], headers: ["A": "b"],
    contentType: .custom("text/x"), payload: .multipart(MultipartFormData()), .notIntercepted,
    .withoutCredentials, .cache(.reload, lifetime: .seconds(9)), .storedOffline,
    .timeout(.milliseconds(1_500)), .priority(.high))

  @Test func requestsRoundTripThroughStorage() throws {
    for request in [whole, .get("a"), .upload(data: Data([1]), to: "b")] {
      let data = try JSONEncoder().encode(request)
      #expect(try JSONDecoder().decode(Request.self, from: data) == request)
    }
  }

  @Test func valuesMissingInStorageHaveDefaults() throws {
    let text = #"{"method":"GET","path":{"text":"a"}}"#
    #expect(try JSONDecoder().decode(Request.self, from: Data(text.utf8)) == .get("a"))
    #expect(String(decoding: try JSONEncoder().encode(Request.get("a")), as: UTF8.self).count < 60)
  }

  @Test func helpersSetTheirMethod() {
    #expect(Request.get("a").method == .get)
    #expect(Request.post("a").method == .post)
    #expect(Request.put("a").method == .put)
    #expect(Request.patch("a").method == .patch)
    #expect(Request.delete("a").method == .delete)
    #expect(Request.head("a").method == .head)
    #expect(Request.options("a").method == .options)
    #expect(Request.upload(data: Data(), to: "a").method == .post)
    #expect(Request.upload(file: URL(fileURLWithPath: "/a"), to: "a", method: .put).method == .put)
    #expect(
      Request.upload(multipart: MultipartFormData(), to: "a").contentType == .multipartFormData)
  }

  @Test func helpersForwardAllArguments() {
    let request = Request.post(
      "a", parameters: [1], headers: ["A": "b"], contentType: .formURLEncoded, .storedOffline,
      .cache(.noStore), .timeout(.seconds(1)), .priority(.low))
    #expect(
      request
        == Request(
          .post, "a", parameters: [1], headers: ["A": "b"], contentType: .formURLEncoded,
          .storedOffline, .cache(.noStore), .timeout(.seconds(1)), .priority(.low)))
  }

  @Test func modificationsKeepTheRest() {
    let request = Request.get(
      "a", headers: ["A": "1", "B": "2"], .storedOffline,
      .cache(.revalidate, lifetime: .seconds(5)), .priority(.veryHigh), .timeout(.seconds(3)),
      .headers(["a": "3"]), .shared(), .notIntercepted, .withoutCredentials)
    #expect(request.storePolicy == .offline)
    #expect(request.cachePolicy == .revalidate && request.cacheLifetime == .seconds(5))
    #expect(request.priority == .veryHigh)
    #expect(request.timeout == .seconds(3))
    #expect(request.headers == ["B": "2", "a": "3"])
    #expect(request.isShared == true && request.with(.shared(nil)).isShared == nil)
    #expect(!request.isIntercepted && request.sendsCredentials == false)
    #expect(request.path == "a")
    #expect(Set([request, request, .get("a")]).count == 2)
  }

  @Test func parametersAndHeadersAreAdded() {
    let request = Request.get("a", parameters: ["a": 1, "b": 2], headers: ["X": "1"])
    #expect(
      request.with(.parameters(["b": 3, "c": 4]), .headers(["x": "2"]))
        == .get("a", parameters: ["a": 1, "b": 3, "c": 4], headers: ["x": "2"]))
    #expect(request.with(.parameters(["c": 4])).headers == ["X": "1"])
    #expect(Request.get("a", .parameters(["a": 1])).parameters == ["a": 1])
    #expect(Request.post("a", parameters: nil, .parameters(["a": 1])).parameters == ["a": 1])
    #expect(request.with(.parameters([:])) == request)
  }

  @Test(
    arguments: [
      (.post("a", parameters: [1]), ["b": 2]), (.post("a", parameters: "text"), ["b": 2]),
      (.post("a", parameters: ["a": 1]), ["text"]), (.post("a"), 7),
    ] as [(Request, Parameters)])
  func parametersThatCannotBeAddedRejectTheRequest(_ request: Request, _ added: Parameters) throws {
    let error = #expect(throws: NetworkError.self) {
      try RequestBuilder(baseURL: BaseURL(host: "h"))
        .build(request.with(.parameters(added)))
    }
    #expect(error?.code == .encodingFailed)
    #expect(
      error?.reason
        == "the root of the parameters must be a dictionary, because others are added to them")
  }

  @Test func aRequestWithParametersThatCannotBeAddedIsNeitherEqualNorEncoded() throws {
    let request = Request.post("a", parameters: [1])
    let invalid = request.with(.parameters(["b": 2]))
    #expect(invalid != request && invalid.with(.parameters(["c": 3])) == invalid)
    #expect(invalid.attributes.isEmpty)
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(invalid) }
    var corrected = invalid
    corrected.parameters = ["b": 2]
    #expect(corrected == .post("a", parameters: ["b": 2]))
    let data = try JSONEncoder().encode(corrected)
    #expect(try JSONDecoder().decode(Request.self, from: data) == corrected)
    // Later parameters that can be added do not replace those that could not.
    let first = Request.post("a", .parameters(7), .parameters(["b": 2]))
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(first) }
  }

  @Test(arguments: [nil, true, false])
  func theSharingFlagRoundTripsThroughStorage(_ isShared: Bool?) throws {
    let request = Request.get("a", .shared(isShared))
    let data = try JSONEncoder().encode(request)
    #expect(try JSONDecoder().decode(Request.self, from: data) == request)
    #expect(String(decoding: data, as: UTF8.self).contains("isShared") == (isShared != nil))
  }

  @Test func bodiesHaveTheirLength() throws {
    let folder = TemporaryFolder()
    let file = try folder.file("body", Data(count: 1_000))
    #expect(HTTPBody.none.byteCount == 0)
    #expect(HTTPBody.data(Data(count: 3)).byteCount == 3)
    #expect(HTTPBody.file(file).byteCount == 1_000)
    #expect(HTTPBody.pieces([.data(Data(count: 3)), .file(file)]).byteCount == 1_003)
    #expect(HTTPBody.file(file.appending(path: "none")).byteCount == nil)
  }
}
