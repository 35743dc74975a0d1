import Foundation
import Networking
import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
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
