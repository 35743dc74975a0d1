import Foundation
import Mocking

/// The command `init`, which writes an example.
enum ExampleFile {
  /// Writes the example to a new file.
  ///
  /// - Throws: `StubFileError` if the file exists or cannot be written.
  static func write(to url: URL, _ console: Console) throws {
    do {
      try Data(text.utf8).write(to: url, options: .withoutOverwriting)
    } catch CocoaError.fileWriteFileExists {
      throw UnwrittenExample(description: "\(url.relativePath): the file exists already")
    } catch {
      let reason = (error as NSError).localizedDescription
      throw UnwrittenExample(description: "\(url.relativePath): cannot be written: \(reason)")
    }
    console.line(
      """
      wrote \(url.relativePath)
        mock-server check \(url.relativePath)   lists its routes
        mock-server \(url.relativePath)         serves them; changes of the file apply at once
        curl http://127.0.0.1:8080/hello/Ada
      """)
  }

  /// The error for an example that could not be written.
  struct UnwrittenExample: Error, CustomStringConvertible {
    let description: String
  }

  /// The example: a shop.
  ///
  /// `comment` is allowed in every object of the format.
  static let text = #"""
    {
      "comment": "A mocked shop. Serve it with: mock-server FILE. Changes of this file apply at once.",
      "routes": [
        {
          "comment": "{name} matches one segment of the path. {{ }} inserts values of the request.",
          "method": "GET", "path": "/hello/{name}",
          "json": { "message": "Hello, {{ path.name }}", "at": "{{ now }}" }
        },

        {
          "comment": "A resource is a whole endpoint. GET /products?name_like=kite&_sort=-price&_page=1&_limit=10 lists items, POST adds one, and GET, PUT, PATCH and DELETE /products/1 use one.",
          "resource": "/products", "required": ["name", "price"], "types": { "price": "number" },
          "data": [
            { "id": 1, "name": "Balsa Fish", "price": 12.5 },
            { "id": 2, "name": "Kite", "price": 20 }
          ]
        },

        {
          "comment": "Only for a body with these members. Without them, the next route responds.",
          "method": "POST", "path": "/login", "when": { "json": { "user": "ada" } },
          "json": { "token": "{{ uuid }}" }, "delay": { "from": "80 ms", "to": "300 ms" }
        },
        {
          "method": "POST", "path": "/login",
          "status": 401, "json": { "error": "unknown user {{ body.user | default('') }}" }
        },

        {
          "comment": "A scenario: the cart is empty until something is added.",
          "method": "GET", "path": "/cart",
          "scenario": { "name": "cart", "when": "started" }, "json": { "items": [] }
        },
        {
          "method": "POST", "path": "/cart",
          "scenario": { "name": "cart", "then": "filled" }, "status": 201, "json": { "added": 1 }
        },
        {
          "method": "GET", "path": "/cart",
          "scenario": { "name": "cart", "when": "filled" }, "json": { "items": [{ "product": 1 }] }
        },

        {
          "comment": "Fails twice, then succeeds, to test retries.",
          "method": "POST", "path": "/orders",
          "sequence": [
            { "status": 503, "headers": { "Retry-After": "1" } },
            { "status": 503 },
            { "status": 201, "json": { "id": "{{ counter('orders', from: 1000) }}" } }
          ]
        },
        {
          "comment": "Resets the connection after four bytes of the body.",
          "method": "GET", "path": "/broken", "text": "this text never arrives completely",
          "fault": { "type": "reset", "at": "body", "afterBytes": 4 }
        }
      ]
    }

    """#
}
