import Foundation
import Mocking

/// The endpoints of the shop.
enum ShopAPI: RequestConvertible {
  case logIn(email: String, password: String)
  case logOut
  /// The customer of the session cookie.
  case customer

  case products(ProductQuery)
  case product(Int)
  /// Changes a price, unless the product has changed since a version.
  case reprice(Int, price: Double, version: String)
  case reviews(product: Int)
  case review(NewReview, product: Int)
  case deleteReview(Int, product: Int)
  case upload(Photo, product: Int)
  case image(category: String)
  case suggestions(String)
  case recommendations

  case createCart
  case items(cart: String)
  case add(Product, quantity: Int, cart: String)
  case change(item: Int, quantity: Int, cart: String)
  case remove(item: Int, cart: String)
  case deleteCart(String)
  case shipping(country: String, weight: Double)

  case order(NewOrder)
  case orders(cursor: String, limit: Int)
  case orderDetails(String)
  case cancelOrder(String)
  case tracking(order: String)
  case invoice
  /// Makes the sender a new client, which has the initial data.
  case reset

  static let baseURL = URL(string: "http://127.0.0.1:8080")

  var request: Request {
    get throws {
      switch self {
      case .logIn(let email, let password):
        .post("login", parameters: ["email": email, "password": password])
      case .logOut: .post("logout")
      case .customer: .get("me")

      case .products(let query): .get("products", parameters: try Parameters(encoding: query))
      case .product(let id): .get("products/\(id)")
      case .reprice(let id, let price, let version):
        .patch(
          "products/\(id)", parameters: ["price": price], headers: ["If-Match": version])
      case .reviews(let product): .get("products/\(product)/reviews")
      case .review(let review, let product):
        .post("products/\(product)/reviews", json: review)
      case .deleteReview(let id, let product): .delete("products/\(product)/reviews/\(id)")
      case .upload(let photo, let product):
        .upload(multipart: photo.form, to: "products/\(product)/photo")
      case .image(let category): .get("images/\(category).svg")
      case .suggestions(let text): .get("suggestions", parameters: ["q": text])
      case .recommendations: .get("recommendations")

      case .createCart: .post("account/carts", parameters: [:])
      case .items(let cart): .get("account/carts/\(cart)/items")
      case .add(let product, let quantity, let cart):
        .post(
          "account/carts/\(cart)/items",
          parameters: [
            "product": product.id, "name": product.name, "price": product.price,
            "quantity": quantity,
          ])
      case .change(let item, let quantity, let cart):
        .patch("account/carts/\(cart)/items/\(item)", parameters: ["quantity": quantity])
      case .remove(let item, let cart): .delete("account/carts/\(cart)/items/\(item)")
      case .deleteCart(let cart): .delete("account/carts/\(cart)")
      case .shipping(let country, let weight):
        .post("shipping", parameters: ["country": country, "weight": weight])

      case .order(let order): .post("account/orders", json: order)
      case .orders(let cursor, let limit):
        .get("account/orders", parameters: ["_cursor": cursor, "_limit": limit])
      case .orderDetails(let id): .get("account/orders/\(id)")
      case .cancelOrder(let id):
        .patch("account/orders/\(id)", parameters: ["status": "cancelled"])
      case .tracking(let order): .get("tracking/\(order)")
      case .invoice: .get("invoice")
      case .reset: .post("reset")
      }
    }
  }
}

// MARK: - Requests

/// The filters, the order and the page of a list of products.
struct ProductQuery: Encodable, Sendable {
  /// A text in any member.
  var q: String?
  var category: String?
  /// The members to sort by; `-` before a name reverses the order.
  var sort: String?
  var page = 1
  var size: Int?
}

/// A review that has not been sent.
struct NewReview: Encodable, Sendable {
  var author: String
  var stars: Int
  var text: String
}

/// A file with a caption, for a product.
struct Photo: Sendable {
  var data: Data
  var fileName: String
  var caption: String?

  /// The multipart form with the parts `photo` and `caption`.
  var form: MultipartFormData {
    var form = MultipartFormData()
    form.append(data, name: "photo", filename: fileName)
    if let caption { form.append(caption, name: "caption") }
    return form
  }
}

/// An order that has not been sent.
struct NewOrder: Encodable, Sendable {
  var cart: String
  var total: Double
  var address: String?
}

// MARK: - Responses

/// The response to a login.
struct Session: Decodable, Sendable {
  var token: String
  var name: String
}

/// The customer of a session.
struct Customer: Decodable, Sendable, Equatable {
  var email: String
  var name: String
}

/// A toy.
struct Product: Decodable, Sendable, Equatable {
  var id: Int
  var name: String
  var category: String
  var price: Double
  var stock: Int
}

/// A review of a product.
struct Review: Decodable, Sendable {
  var id: Int
  var author: String
  var stars: Int
  var text: String
}

/// The confirmation of an upload.
struct UploadedPhoto: Decodable, Sendable, Equatable {
  var id: Int
  var product: Int
  var caption: String
}

/// The completions of a search text.
struct Suggestions: Decodable, Sendable {
  var suggestions: [String]
}

/// Recommended products.
struct Recommendations: Decodable, Sendable {
  /// A product with the reason for the recommendation.
  struct Entry: Decodable, Sendable {
    var id: Int
    var reason: String
  }

  var products: [Entry]
}

/// An empty cart, or one with items at another endpoint.
struct Cart: Decodable, Sendable {
  var id: String
}

/// A product in a cart.
struct CartItem: Decodable, Sendable {
  var id: Int
  var product: Int
  var name: String
  var price: Double
  var quantity: Int
}

/// The price and the arrival of a parcel.
struct Parcel: Decodable, Sendable, Equatable {
  var price: Double
  var arrives: String
}

/// A placed order.
struct Order: Decodable, Sendable {
  var id: String
  var cart: String
  var total: Double
  var address: String
  /// `nil` unless the order has been cancelled.
  var status: String?
}

/// A step of a delivery.
struct DeliveryStep: Decodable, Sendable, Equatable {
  var step: String
  /// The progress in percent.
  var progress: Int
}

/// The problem document of a refused request.
///
/// Source: RFC 9457.
struct Problem: Decodable, Sendable {
  /// A member of the request with its problem.
  struct Detail: Decodable, Sendable, Equatable {
    var detail: String
    var pointer: String
  }

  var status: Int
  var detail: String
  var errors: [Detail]?
}
