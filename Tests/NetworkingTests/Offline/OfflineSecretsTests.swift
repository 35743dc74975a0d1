import Foundation
import Networking
import TestGate
import TestSupport
import Testing

/// Requests with secrets in their query or body.
@Suite(.gated)
struct OfflineSecretsTests {
  private let temporary = TemporaryStore()

  private static func form(_ name: String, _ part: String? = nil) -> MultipartFormData {
    var form = MultipartFormData()
    form.parts.append(
      .init(name: name, content: .data(Data(#"{"pin": 1}"#.utf8)), contentType: part))
    return form
  }

  private static let place: RequestPath = "https://a.test/b"

  @Test(arguments: [
    (Request.get("https://a.test/b?page=1&access_token=s3cr3t"), "access_token"),
    (.get("https://a.test/b?access%5Ftoken=s3cr3t"), "access_token"),
    (.get(place, parameters: ["api_key": "s3cr3t"]), "api_key"),
    (.post(place, parameters: ["user": ["name": "ada", "password": "s3cr3t"]]), "password"),
    (.post(place, parameters: [["a": 1], ["pin": 1]]), "pin"),
    (
      .post(place, parameters: ["user[password]": "s3cr3t"], contentType: .formURLEncoded),
      "user[password]"
    ),
    (
      .upload(
        data: Data("a=1&client_secret=s3cr3t".utf8), to: place,
        contentType: "application/x-www-form-urlencoded; charset=utf-8"), "client_secret"
    ),
    (
      .upload(
        data: Data(#"[{"jwt": "s3cr3t"}]"#.utf8), to: place, contentType: "application/a+json"),
      "jwt"
    ),
    (
      .upload(
        data: Data("{\"a\": 1}\n{\"jwt\": \"s3cr3t\"}".utf8), to: place,
        contentType: "application/json"), "jwt"
    ),
    (Request(.post, place, payload: .data(Data(#"{"otp": 1}"#.utf8))), "otp"),
    (.get("https://a.test/b?room_key=live_7fXkQ2p9ZbL4"), "room_key"),
    (.post(place, parameters: ["chat_session": "x9y8z7w6v5"]), "chat_session"),
    (.upload(multipart: form("password"), to: place), "password"),
    (.upload(multipart: form("a", "application/json"), to: place), "pin"),
    (
      .upload(
        multipart: MultipartFormData([.text("", name: "a", headers: ["X-Api-Key": "s3cr3t"])]),
        to: place), "X-Api-Key"
    ),
  ])
  func secretsAreRejectedUnlessTheStorePermitsThem(_ request: Request, _ name: String) throws {
    let store = try temporary.open()
    let error = #expect(throws: NetworkError.self) { try store.add(request) }
    #expect(error?.code == .offlineStoreRefused)
    #expect(
      error?.reason
        == "the field \"\(name)\" has the name of a secret, and the store does not accept secrets")
    #expect(error?.description.contains("s3cr3t") == false)
    #expect(try store.count == 0)
    #expect(try temporary.open(storesSecrets: true).add(request).request == request)
  }

  @Test(arguments: [
    Request.post(place, parameters: ["text": "my password: see the drawer", "token": .null]),
    .get("https://a.test/b?page=1&sort=keys&room_key=lobby"),
    .post(place, parameters: ["chat_session": "morning"]),
    .upload(data: Data("password=1".utf8), to: place, contentType: "text/plain"),
    .upload(data: Data([0xff, 0]), to: place),
  ])
  func requestsWithoutSecretsAreAccepted(_ request: Request) throws {
    #expect(try temporary.open().add(request).request == request)
  }
}
