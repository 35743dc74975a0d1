import Foundation
import Mocking
import MockingStubs

// Buys two toys: from the stub file in memory and in virtual time, or from a server at a URL, such as
// that of: swift run mock-server Examples/Shop/shop.json

do {
  let arguments = CommandLine.arguments.dropFirst()
  if arguments.isEmpty {
    let file = try StubFile(contentsOf: Shop.stubs)
    let scheduler = TestScheduler()
    let backend = MockTransport(
      routes: file.routes, scheduler: scheduler, seed: file.seed ?? 0)
    let shop = Shop(
      networking: Networking(transport: backend, configuration: Shop.configuration))
    try await scheduler.run { try await visit(shop) }
    print("after \(scheduler.elapsed) of virtual time")
  } else if arguments.count == 1, let url = arguments.first.flatMap({ URL(string: $0) }),
    url.scheme?.hasPrefix("http") == true
  {
    let shop = Shop()
    shop.networking.baseURL = url
    try await visit(shop)
  } else {
    print("usage: swift run --package-path Examples shop [URL]")
    exit(2)
  }
} catch {
  print("error: \(error)")
  exit(1)
}

/// Runs the story of a customer, and prints each step.
@Sendable func visit(_ shop: Shop) async throws {
  let query = ProductQuery(category: "kites", sort: "-price", size: 3)
  let kites = try await shop.products(query).value
  print("\(kites.total) kites, the most expensive is \(kites.elements[0].name)")

  let photo = Photo(
    data: Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), fileName: "kite.svg",
    caption: "In the wind")
  let receipt = try await shop.purchase(
    [kites.elements[0].id, 1], for: "ada@example.com", to: "12 Kite Lane, Bath", photo: photo
  ).value
  print("\(receipt.customer.name) ordered \(receipt.items.map(\.name).joined(separator: ", "))")
  print("\(receipt.order.id) costs \(receipt.order.total), photo \(receipt.photo.id) is uploaded")

  for step in try await shop.deliverySteps(of: receipt.order.id).value {
    print("  \(step.progress) % \(step.step)")
  }
  print("recommended: \(try await shop.recommended().value.map(\.name).joined(separator: ", "))")
}
