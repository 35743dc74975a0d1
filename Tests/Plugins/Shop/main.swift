import Foundation
import MockingStubs

// Requests to the backend of the checked stub file and OpenAPI document, in memory.
let files = ["stubs/shop.stubs.json", "openapi.yaml"].compactMap {
  Bundle.module.url(forResource: $0, withExtension: nil)
}
let backend = MockTransport(routes: try StubFile(contentsOf: files).routes)
let shop = Networking<Request>(
  baseURL: URL(string: "https://shop.example.com"), transport: backend)
print(try await shop.request(.get("products/1")).validate().toString().value)
print(try await shop.request(.get("orders")).validate().toString().value)
