import Foundation
import Mocking

// Buys two toys: with the stub file in memory and virtual time, or from a server at a URL, such as
// that of: swift run mock-server Examples/Shop/shop.json

let usage = "usage: swift run shop [URL]"
let scheduler = TestScheduler()
let shop: Shop

switch CommandLine.arguments.dropFirst() {
case let arguments where arguments.isEmpty:
  let file = try StubFile(contentsOf: Shop.stubs)
  shop = Shop(
    networking: Networking(
      transport: MockTransport(
        routes: file.routes, scheduler: scheduler, seed: file.seed ?? 0),
      configuration: Shop.configuration))
case let arguments where arguments.count == 1 && arguments.first?.hasPrefix("http") == true:
  shop = Shop()
  shop.networking.setBaseURL(URL(string: arguments[arguments.startIndex]))
default:
  print(usage)
  exit(2)
}

/// Runs the story of a customer, and prints each step.
@Sendable func visit() async throws {
  let kites = try await shop.products(ProductQuery(category: "kites", sort: "-price", size: 3))
    .value
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

do {
  if CommandLine.arguments.count == 1 {
    try await scheduler.run { try await visit() }
    print("after \(scheduler.elapsed) of virtual time")
  } else {
    try await visit()
  }
} catch {
  print("error: \(error)")
  exit(1)
}
