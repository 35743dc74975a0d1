import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct ValidationTests {
  private func response(
    _ status: Int, type: String? = nil, body: String = "x", accept: String? = nil
  ) -> NetworkPromise {
    var headers: HTTPHeaders = [:]
    headers["Content-Type"] = type
    var request = HTTPRequest(url: .of("https://a.example/"))
    request.headers["Accept"] = accept
    return .fulfilled(
      Response(
        head: HTTPResponseHead(status: status, headers: headers), data: Data(body.utf8),
        request: request))
  }

  private func code(_ promise: NetworkPromise) async -> NetworkError.Code? {
    await promise.result.failure(as: NetworkError.self)?.code
  }

  @Test(arguments: [
    (199, false), (200, true), (204, true), (299, true), (300, false), (404, false),
  ])
  func onlySuccessStatusesPassByDefault(_ status: Int, _ passes: Bool) async {
    #expect(await code(response(status).validate()) == (passes ? nil : .unacceptableStatus(status)))
  }

  @Test func acceptableStatusesCanBeConfigured() async {
    #expect(await code(response(404).validate(statusCodes: [200, 404])) == nil)
    #expect(await code(response(200).validate(statusCodes: 400...499)) == .unacceptableStatus(200))
  }

  private static let types: [(String?, String?, Bool)] = [
    ("application/json", "application/json", true), ("text/html", "application/json", false),
    ("text/html", "application/json, text/*;q=0.5", true), ("text/html", nil, true),
    (nil, "application/json", true),
  ]

  @Test(arguments: types)
  func theContentTypeMustMatchTheAcceptField(_ type: String?, _ accept: String?, _ passes: Bool)
    async
  {
    let code = await code(response(200, type: type, accept: accept).validate())
    #expect(code == (passes ? nil : .unacceptableContentType(type ?? "")))
  }

  @Test func theErrorForAnUnacceptableTypeNamesTheAcceptedOnes() async {
    let types = ["application/json", "text/*"]
    let promise = response(200, type: "image/png").validate(contentTypes: types)
    let error = await promise.result.failure(as: NetworkError.self)
    #expect(error?.reason == "the request accepts application/json, text/*")
  }

  @Test func timeoutsOfAllPhasesAreTimeouts() {
    let phases: [NetworkError.Phase] = [.connect, .idle, .attempt, .call]
    #expect(phases.allSatisfy { NetworkError.Code.timedOut($0).isTimeout })
    #expect(!NetworkError.Code.connectionLost.isTimeout)
  }

  @Test func acceptableContentTypesCanBeConfigured() async {
    let json = ["application/json", "application/*; v=1"]
    #expect(
      await code(response(200, type: "application/json; a=b").validate(contentTypes: json)) == nil)
    #expect(
      await code(response(200, type: "text/css").validate(contentTypes: json))
        == .unacceptableContentType("text/css"))
    #expect(await code(response(200).validate(contentTypes: json)) == .missingContentType)
    #expect(await code(response(200).validate(contentTypes: ["*/*"])) == nil)
    #expect(await code(response(200, body: "").validate(contentTypes: json)) == nil)
  }

  @Test(arguments: [
    ("application/json", "application/json; charset=utf-8", true),
    ("application/json; charset=UTF-8", "application/json", true),
    ("text/plain; charset=iso-8859-1", "text/plain; charset=utf-8", false),
    ("text/plain", "text/plain; charset=iso-8859-1", false),
    ("application/json; version=2", "application/json; version=1", false),
    ("application/json", "application/json; version=1", false),
    ("application/json; version=1; a=b", "application/json; version=1", true),
  ])
  func theParametersOfAnAcceptedTypeAreCompared(
    _ type: String, _ accepted: String, _ passes: Bool
  ) async {
    let code = await code(response(200, type: type).validate(contentTypes: [accepted]))
    #expect((code == nil) == passes)
  }

  @Test func aCustomValidatorRejectsWithItsError() async {
    struct Picky: ResponseValidating {
      func validate(_ response: Response) throws {
        if response.headers["X-Ok"] == nil { throw TestError("picky") }
      }
    }
    let result = await response(200).validate(using: Picky()).result
    #expect(result.failure() == TestError("picky"))
  }

  @Test func downloadsAndStreamsAreValidatedByContentType() async {
    let transport = FakeTransport { _ in .response(200, ["Content-Type": "text/html"], "x") }
    let client = Networking<Request>(transport: transport)
    let folder = TemporaryFolder()
    let request = Request.get("https://a.example/")
    for promise in [client.download(request, to: folder.url("file")), client.stream(request)] {
      let code = await code(promise.validate(contentTypes: ["application/json"]))
      #expect(code == .unacceptableContentType("text/html"))
    }
  }
}
