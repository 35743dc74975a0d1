import Foundation
import Networking
import TestGate
import TestSupport
import Testing

/// 10,000 deterministic random values of each kind: nothing traps, and the output can be read back.
@Suite(.gated)
struct RandomRequestTests {
  @Test func pathsRoundTripAsSegments() throws {
    var random = RandomValues(seed: 1)
    let builder = RequestBuilder(baseURL: try BaseURL(host: "h", path: "v1"), headers: [:])
    for _ in 0..<10_000 {
      let (first, second) = (random.text(), random.text())
      let value = random.text()
      let request = Request.get("a/\(first)/b/\(second)?q=\(value)")
      let refused = [first, second].contains { ["", ".", ".."].contains($0) }
      guard let url = try? builder.build(request).url else {
        #expect(refused)
        continue
      }
      #expect(!refused)
      let parts = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
      let segments = parts.percentEncodedPath.split(separator: "/").map {
        $0.removingPercentEncoding
      }
      #expect(segments.map { $0?.scalars } == ["v1", "a", first, "b", second].map(\.scalars))
      #expect(parts.queryItems?.map { $0.value?.scalars } == [value.scalars])
      #expect(parts.host == "h")
    }
  }

  @Test func rawPathsAreRejectedOrRoundTrip() throws {
    var random = RandomValues(seed: 2)
    let builder = RequestBuilder(baseURL: try BaseURL(host: "h", path: "v1"), headers: [:])
    var built = 0
    for _ in 0..<10_000 {
      let raw = random.text()
      do {
        let url = try builder.build(.get("\(raw: raw)")).url
        #expect(URLComponents(url: url, resolvingAgainstBaseURL: false)?.host?.isEmpty == false)
        built += 1
      } catch let error as NetworkError {
        #expect(error.code == .invalidURL)
      }
    }
    #expect(built > 100)
  }

  @Test func headersAreRejectedOrUnchanged() throws {
    var random = RandomValues(seed: 3)
    let builder = RequestBuilder(baseURL: try BaseURL(host: "h"), headers: [:])
    for _ in 0..<10_000 {
      let (name, value) = ("X" + random.text(), random.text())
      do {
        let headers = try builder.build(.get("a", headers: [name: value])).headers
        #expect(headers.fields == [HTTPHeaders.Field(name: name, value: value)])
        #expect(!value.unicodeScalars.contains { "\r\n\0".unicodeScalars.contains($0) })
      } catch let error as NetworkError {
        #expect(error.code == .invalidHeader)
      }
    }
  }

  @Test func treesRoundTripThroughJSONAndStorage() throws {
    var random = RandomValues(seed: 4)
    let builder = RequestBuilder(baseURL: try BaseURL(host: "h"), headers: [:])
    var encoded = 0
    for number in 0..<10_000 {
      let tree = random.parameters()
      let request = Request.post("a", parameters: tree)
      guard case .data(let body) = try builder.build(request).body else { throw Wrong() }
      _ = try JSONSerialization.jsonObject(with: body)
      #expect(
        try JSON(parsing: body) == JSON(received: tree), "\(String(decoding: body, as: UTF8.self))")
      for type in [ContentType.query, .formURLEncoded, .multipartFormData] {
        do {
          _ = try builder.build(.post("a", parameters: tree, contentType: type))
          encoded += 1
        } catch let error as NetworkError {
          // Some names have another meaning in a query.
          #expect(error.code == .encodingFailed)
        }
      }
      if number % 10 == 0 {
        let data = try JSONEncoder().encode(request)
        #expect(try JSONDecoder().decode(Request.self, from: data) == request)
      }
    }
    #expect(encoded > 10_000)
  }

  private struct Wrong: Error {}
}
