import Foundation
import MockingStubs

// Requests to the backend of the checked stub file and OpenAPI document, in memory.
let files = ["stubs/shop.stubs.json", "openapi.yaml"].compactMap {
  Bundle.module.url(forResource: $0, withExtension: nil)
}
let backend = MockTransport(routes: try StubFile(contentsOf: files).routes)
let networking = Networking<Request>(
  baseURL: URL(string: "https://shop.example.com"), transport: backend)
for path in ["/products/1", "/orders"] {
  print(try await networking.request(.get(path)).validate().toString().value)
}
