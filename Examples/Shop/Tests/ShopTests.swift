import CatenaTesting
import Foundation
import MockingStubs
import Testing

@testable import shop

/// The client with the stub file in memory: each test has a new backend and virtual time.
@Suite(.virtualTime, .mocked(stubs: Shop.stubs))
struct ShopTests {
  private let shop = Shop()

  private static let svg = Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)
  private let photo = Photo(data: svg, fileName: "kite.svg", caption: "In the wind")

  /// Advances the virtual time until nothing is left to do, and returns the result.
  private func finish<Value: Sendable>(_ promise: Promise<Value>) async throws -> Value {
    await Test.virtualTime.run()
    return try await promise.value
  }

  /// Returns the problem with which a request is refused.
  private func problem(_ endpoint: ShopAPI) async throws -> Problem {
    let response = shop.networking.request(endpoint).validate()
    await Test.virtualTime.run()
    let error = await #expect(throws: NetworkError.self) { try await response.value }
    return try #require(try error?.decodeBody(Problem.self))
  }

  private func json<Value: Decodable & Sendable>(
    _ endpoint: ShopAPI, _ type: Value.Type = Value.self
  ) async throws -> Value {
    try await finish(shop.networking.request(endpoint).validate().decode(Value.self))
  }

  // MARK: Chains

  @Test func aPurchaseUsesTheResultsOfItsSteps() async throws {
    let receipt = try await finish(
      shop.purchase([8, 1], for: "ada@example.com", to: "12 Kite Lane, Bath", photo: photo))

    #expect(receipt.customer == Customer(email: "ada@example.com", name: "Ada"))
    #expect(Set(receipt.items.map(\.name)) == ["Stunt Kite", "Balsa Fish"])
    #expect(receipt.parcel.price == 5.06)
    #expect(abs(receipt.order.total - (49 + 12.5 + 5.06)) < 1e-9)
    #expect(receipt.photo == UploadedPhoto(id: 1, product: 8, caption: "In the wind"))
    let orders = try await finish(shop.orders())
    #expect(orders.elements.map(\.id) == [receipt.order.id])

    try Test.mocks.verifyOrder(
      .post("/login"), .get("/me"), .post("/account/carts"), .post("/shipping"),
      .post("/account/orders"), .post("/products/8/photo"))
    try Test.mocks.verify(.delete, "/account/carts/cart-1", .never)
  }

  @Test func aFailedPurchaseDeletesItsCart() async throws {
    let purchase = shop.purchase([8], for: "ada@example.com", to: nil, photo: photo)
    await Test.virtualTime.run()
    let error = await #expect(throws: NetworkError.self) { try await purchase.value }

    #expect(error?.code == .unacceptableStatus(422))
    let problem = try #require(try error?.decodeBody(Problem.self))
    #expect(problem.errors == [.init(detail: "is required", pointer: "#/address")])
    try Test.mocks.verify(.delete, "/account/carts/cart-1", .exactly(1))
    #expect(try await self.problem(.items(cart: "cart-1")).status == 404)
  }

  @Test func aDeletedCartHasNoItems() async throws {
    _ = try await finish(shop.logIn(email: "ada@example.com"))
    let cart = try await json(.createCart, Cart.self)
    let kite = try await finish(shop.product(4)).product
    let item = try await json(.add(kite, quantity: 2, cart: cart.id), CartItem.self)
    let changed = try await json(.change(item: item.id, quantity: 3, cart: cart.id), CartItem.self)
    #expect(changed.quantity == 3)
    #expect(try await problem(.add(kite, quantity: 1, cart: cart.id)).status == 409)
    _ = try await finish(shop.networking.request(.remove(item: item.id, cart: cart.id)).validate())
    #expect(try await json(.items(cart: cart.id), [CartItem].self).isEmpty)
    _ = try await finish(shop.networking.request(.deleteCart(cart.id)).validate())
    #expect(try await problem(.items(cart: cart.id)).status == 404)
  }

  // MARK: Errors

  @Test func requestsOfTheAccountRequireAToken() async throws {
    #expect(try await problem(.createCart).detail == "POST /account/carts requires a token")
    #expect(try await problem(.orders(cursor: "", limit: 2)).status == 401)
    #expect(try await problem(.reprice(1, price: 1, version: "*")).status == 401)
    #expect(try await problem(.upload(photo, product: 1)).status == 401)
  }

  @Test(
    arguments: [
      ("ada@example.com", "wrong", 401), ("no address", "lovelace", 401),
      ("mallory@example.com", "lovelace", 423),
    ])
  func aLoginCanBeRefused(email: String, password: String, status: Int) async throws {
    #expect(try await problem(.logIn(email: email, password: password)).status == status)
  }

  @Test func theSessionEndsWithTheLogout() async throws {
    _ = try await finish(shop.logIn(email: "grace@example.com"))
    #expect(try await json(.customer, Customer.self).name == "Grace")
    try await finish(shop.logOut())
    #expect(try await problem(.customer).status == 401)
    #expect(try await problem(.createCart).status == 401)
  }

  @Test func numbersOutOfRangeAreRefused() async throws {
    _ = try await finish(shop.logIn(email: "ada@example.com"))
    let cart = try await json(.createCart, Cart.self)
    let kite = try await finish(shop.product(4)).product
    let quantity = try await problem(.add(kite, quantity: 0, cart: cart.id))
    #expect(quantity.errors == [.init(detail: "must be at least 1", pointer: "#/quantity")])
    let review = NewReview(author: "Ada", stars: 6, text: "Too good")
    let stars = try await problem(.review(review, product: 4))
    #expect(stars.errors == [.init(detail: "must be from 1 to 5", pointer: "#/stars")])
  }

  @Test(
    arguments: [
      (Photo(data: svg, fileName: "kite.SVG", caption: nil), 422),
      (Photo(data: svg, fileName: "kite.SVG", caption: " "), 422),
      (Photo(data: Data("text".utf8), fileName: "kite.txt", caption: "In the wind"), 415),
    ])
  func anUploadNeedsAnImageAndACaption(photo: Photo, status: Int) async throws {
    _ = try await finish(shop.logIn(email: "ada@example.com"))
    #expect(try await problem(.upload(photo, product: 4)).status == status)
  }

  @Test func aChangeOfAnOutdatedVersionIsRefused() async throws {
    _ = try await finish(shop.logIn(email: "ada@example.com"))
    let fish = try await finish(shop.product(1))
    let changed = try await finish(shop.reprice(fish, to: 13))
    #expect(changed.product.price == 13)
    #expect(try await problem(.reprice(1, price: 11, version: fish.version)).status == 412)
    #expect(try await finish(shop.product(1)).product.price == 13)
  }

  @Test func anInvoiceBreaksInItsMiddle() async throws {
    let invoice = shop.networking.request(.invoice)
    await Test.virtualTime.run()
    let error = await #expect(throws: NetworkError.self) { try await invoice.value }
    #expect(error?.code == .connectionLost)
  }

  // MARK: Lists

  @Test func thePagesContainEachProductOnce() async throws {
    var ids: [Int] = []
    for page in 1...3 {
      let products = try await finish(shop.products(ProductQuery(page: page)))
      #expect(products.total == 24)
      ids += products.elements.map(\.id)
    }
    #expect(ids == Array(1...24))
  }

  @Test func productsAreSearchedFilteredAndSorted() async throws {
    let query = ProductQuery(q: "kite", category: "kites", sort: "-price", size: 2)
    let kites = try await finish(shop.products(query))
    #expect(kites.elements.map(\.name) == ["Stunt Kite", "Crane Kite"])
    #expect(kites.total == 6)
  }

  @Test func ordersArePagedByCursorAndCancelled() async throws {
    _ = try await finish(shop.logIn(email: "ada@example.com"))
    for number in 1...3 {
      let order = NewOrder(cart: "cart-\(number)", total: 10, address: "Bath")
      #expect(try await json(.order(order), Order.self).id == "order-\(number)")
    }
    let first = try await finish(shop.orders(limit: 2))
    #expect(first.elements.map(\.id) == ["order-1", "order-2"])
    let cursor = try #require(first.nextCursor)
    let second = try await finish(shop.orders(after: cursor, limit: 2))
    #expect(second.elements.map(\.id) == ["order-3"])
    #expect(second.nextCursor == nil)

    #expect(try await json(.cancelOrder("order-2"), Order.self).status == "cancelled")
    #expect(try await json(.orderDetails("order-2"), Order.self).status == "cancelled")
    #expect(try await json(.orderDetails("order-1"), Order.self).status == nil)
  }

  @Test func aReviewIsWrittenAndDeleted() async throws {
    let new = NewReview(author: "Ada", stars: 4, text: "It floats, too.")
    let review = try await json(.review(new, product: 1), Review.self)
    #expect(try await json(.reviews(product: 1), [Review].self).map(\.id) == [1, 2, review.id])
    let deletion = shop.networking.request(.deleteReview(review.id, product: 1)).validate()
    _ = try await finish(deletion)
    #expect(try await json(.reviews(product: 1), [Review].self).map(\.id) == [1, 2])
    #expect(try await problem(.deleteReview(1, product: 2)).status == 404)
  }

  // MARK: Time and chance

  @Test func suggestionsAreSlow() async throws {
    let list = try await json(.suggestions("puzzle"), Suggestions.self)
    #expect(list.suggestions == ["puzzle", "wooden puzzle"])
    #expect(Test.virtualTime.elapsed >= .milliseconds(700))
    #expect(Test.virtualTime.elapsed <= .milliseconds(900))
  }

  @Test func aParcelHasAPriceForSomeCountries() async throws {
    let parcel = try await json(.shipping(country: "DE", weight: 1), Parcel.self)
    #expect(parcel == Parcel(price: 5.35, arrives: "2025-01-04"))
    #expect(Test.virtualTime.elapsed >= .milliseconds(800))
    let refused = try await problem(.shipping(country: "AQ", weight: 1))
    #expect(refused.detail == "no parcels to AQ; the countries are DE, FR, IT, GB and US")
  }

  @Test func aDeliveryIsFollowedToItsEnd() async throws {
    let steps = try await finish(shop.deliverySteps(of: "order-1"))
    #expect(steps.map(\.progress) == [25, 50, 75, 100])
    #expect(steps.last?.step == "delivered")
    #expect(Test.virtualTime.elapsed >= .milliseconds(1200))
  }

  @Test func recommendationsAreRetriedUntilTheySucceed() async throws {
    for _ in 1...10 {
      #expect(try await finish(shop.recommended()).map(\.name) == ["Tin Robot", "Marble Run"])
    }
    try Test.mocks.verify(.get, "/recommendations", .atLeast(11))
  }

  @Test func theSeedDeterminesTheFailures() async throws {
    func statuses() async throws -> [Int] {
      let file = try StubFile(contentsOf: Shop.stubs)
      let provider = MockProvider<ShopAPI>(routes: file.routes, seed: file.seed)
      let networking = Networking(mockProvider: provider, configuration: Shop.configuration)
      var statuses: [Int] = []
      for _ in 1...40 {
        statuses.append(try await networking.request(.recommendations).value.status)
      }
      return statuses
    }
    let first = try await statuses()
    #expect(Set(first) == [200, 503])
    #expect(try await statuses() == first)
  }

  @Test func picturesAreFiles() async throws {
    for category in ["classics", "kites", "models", "puzzles"] {
      let response = try await finish(
        shop.networking.request(.image(category: category)).validate())
      #expect(response.contentType?.description == "image/svg+xml")
    }
  }

  // MARK: Clients

  @Test func customersDoNotDisturbEachOther() async throws {
    let other = Shop()
    for customer in [shop, other] {
      _ = try await finish(customer.logIn(email: "ada@example.com"))
      let order = NewOrder(cart: "cart-1", total: 10, address: "Bath")
      _ = try await finish(customer.networking.request(.order(order)).validate())
    }
    let fish = try await finish(shop.product(1))
    _ = try await finish(shop.reprice(fish, to: 99))
    #expect(try await finish(other.product(1)).product.price == 12.5)
    #expect(try await finish(shop.orders()).total == 1)
    #expect(try await finish(other.orders()).total == 1)
  }

  @Test func aResetRestoresTheInitialDataOfOneCustomer() async throws {
    let other = Shop()
    for customer in [shop, other] {
      _ = try await finish(customer.logIn(email: "ada@example.com"))
      let fish = try await finish(customer.product(1))
      _ = try await finish(customer.reprice(fish, to: 99))
    }
    _ = try await finish(shop.networking.request(.reset).validate())
    #expect(try await finish(shop.product(1)).product.price == 12.5)
    #expect(try await finish(other.product(1)).product.price == 99)
    #expect(try await problem(.customer).status == 401)
  }
}
