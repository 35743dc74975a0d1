import Foundation
import LoadSupport
import Mocking
import MockingTemplates

// A MockServer with two routes, which runs until the process is terminated. The response of the second
// one is a template with five values.

let arguments = Arguments()
let response = Mock.data(Data(Board.json.utf8), contentType: "application/json")
let server = try MockServer(port: arguments.number("port", or: 0)) {
  Route(.get, "/boards/{id}") { _ in response }
  Route(
    .get, "/templates/{id}",
    .template(json: [
      "id": "{{ path.id | int }}", "title": "{{ query.title | default(\"Kite\") }}",
      "at": "{{ now }}", "token": "{{ uuid }}", "host": "{{ headers.Host }}",
    ]))
}
print(server.url)
try await Task.sleep(for: .seconds(3600))
