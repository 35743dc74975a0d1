import Foundation
import Mocking

/// A client of the shop, for one customer.
///
/// Each shop has cookies of its own, so two shops are two clients for the backend.
struct Shop: Sendable {
  let networking: Networking<ShopAPI>

  /// The configuration of a shop: cookies of its own.
  static var configuration: NetworkingConfiguration {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .jar(CookieJar())
    return configuration
  }

  /// The stub file of the backend.
  static let stubs = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shop.json")

  /// Creates a shop.
  ///
  /// - Parameter networking: The client of the endpoints, with cookies of its own.
  init(networking: Networking<ShopAPI> = Networking(configuration: Shop.configuration)) {
    self.networking = networking
  }

  // MARK: Customer

  /// Logs in, and authenticates all further requests.
  func logIn(email: String, password: String = "lovelace") -> Promise<Session> {
    networking.request(.logIn(email: email, password: password)).validate().decode(Session.self)
      .tap { session in networking.authenticate(bearerToken: session.token) }
  }

  /// Ends the session.
  func logOut() -> Promise<Void> {
    networking.request(.logOut).validate().done { _ in
      networking.authenticate(authorizationHeader: nil)
    }.map { _ in }
  }

  // MARK: Products

  /// A page of a list.
  struct Page<Element: Decodable & Sendable>: Sendable {
    let elements: [Element]
    /// The number of elements on all pages.
    let total: Int
    /// The position of the next page of a list with a cursor.
    let nextCursor: String?

    fileprivate init(_ response: Response) throws {
      elements = try DecodableSerializer<[Element]>().serialize(response)
      total = response.headers["X-Total-Count"].flatMap { Int($0) } ?? elements.count
      nextCursor = response.headers["X-Next-Cursor"]
    }
  }

  /// A product with its version, for changes.
  struct VersionedProduct: Sendable {
    let product: Product
    /// The `ETag`.
    let version: String

    fileprivate init(_ response: Response) throws {
      product = try DecodableSerializer<Product>().serialize(response)
      version = response.headers["ETag"] ?? "*"
    }
  }

  func products(_ query: ProductQuery = ProductQuery()) -> Promise<Page<Product>> {
    networking.request(.products(query)).validate().map { response in try Page(response) }
  }

  func product(_ id: Int) -> Promise<VersionedProduct> {
    networking.request(.product(id)).validate().map { response in try VersionedProduct(response) }
  }

  func reprice(_ product: VersionedProduct, to price: Double) -> Promise<VersionedProduct> {
    networking.request(.reprice(product.product.id, price: price, version: product.version))
      .validate().map { response in try VersionedProduct(response) }
  }

  /// Fetches the recommended products, and retries while the backend is overloaded.
  func recommended() -> Promise<[Product]> {
    let policy = RetryPolicy.exponential(initial: .seconds(1), jitter: .none, limit: 8)
    return networking.request(ShopAPI.recommendations, .retry(policy))
      .validate().decode(Recommendations.self)
      .then { list in when(list.products.map { product($0.id) }) }
      .map { products in products.map(\.product) }
  }

  // MARK: Orders

  /// The results of a purchase.
  struct Receipt: Sendable {
    let customer: Customer
    let items: [CartItem]
    let parcel: Parcel
    let order: Order
    let photo: UploadedPhoto
  }

  /// Logs in, fills a cart, orders its items, and uploads a photo of the first one.
  ///
  /// Each step uses the results of the ones before it. The products are fetched and added in parallel,
  /// and the price of the parcel is fetched together with the items.
  ///
  /// - Parameters:
  ///   - products: The ids of the products, at least one.
  ///   - email: The address of the customer.
  ///   - address: The address of the parcel.
  ///   - photo: The photo.
  /// - Returns: The receipt. If a step fails, the cart is deleted, and the promise is rejected with the
  ///   error of the step.
  func purchase(
    _ products: [Int], for email: String, to address: String?, photo: Photo
  ) -> Promise<Receipt> {
    logIn(email: email)
      .then { _ in networking.request(.customer).validate().decode(Customer.self) }
      .then { customer in
        networking.request(.createCart).validate().decode(Cart.self).then { cart in
          fill(cart, with: products)
            .then { items, parcel in
              order(items, in: cart, parcel, to: address).then { order in
                upload(photo, for: products[0]).map { photo in
                  Receipt(
                    customer: customer, items: items, parcel: parcel, order: order, photo: photo)
                }
              }
            }
            .recover { error in
              networking.request(.deleteCart(cart.id)).then { _ -> Receipt in throw error }
            }
        }
      }
  }

  private func fill(_ cart: Cart, with products: [Int]) -> Promise<([CartItem], Parcel)> {
    let added = products.map { id in
      product(id).then { found in
        networking.request(.add(found.product, quantity: 1, cart: cart.id)).validate()
      }
    }
    return when(added).then { _ in
      when(
        networking.request(.items(cart: cart.id)).validate().decode([CartItem].self),
        networking.request(.shipping(country: "GB", weight: 0.4 * Double(products.count)))
          .validate().decode(Parcel.self))
    }
  }

  private func order(
    _ items: [CartItem], in cart: Cart, _ parcel: Parcel, to address: String?
  ) -> Promise<Order> {
    let total = items.reduce(parcel.price) { $0 + $1.price * Double($1.quantity) }
    return networking.request(.order(NewOrder(cart: cart.id, total: total, address: address)))
      .validate().decode(Order.self)
  }

  /// Uploads a photo of a product.
  func upload(_ photo: Photo, for product: Int) -> Promise<UploadedPhoto> {
    networking.request(.upload(photo, product: product)).validate().decode(UploadedPhoto.self)
  }

  func orders(after cursor: String = "", limit: Int = 20) -> Promise<Page<Order>> {
    networking.request(.orders(cursor: cursor, limit: limit)).validate().map { response in
      try Page(response)
    }
  }

  /// Fetches the steps of a delivery, which are server-sent events.
  func deliverySteps(of order: String) -> Promise<[DeliveryStep]> {
    networking.request(.tracking(order: order)).validate().toString().map { text in
      try text.split(separator: "\n").filter { $0.hasPrefix("data: ") }.map { line in
        try JSONDecoder().decode(DeliveryStep.self, from: Data(line.dropFirst(6).utf8))
      }
    }
  }
}
