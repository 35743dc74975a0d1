// expect 2: type 'Cart' does not conform to the 'Sendable' protocol
import Networking

final class Cart {
  var items: [String] = []
}

func cart() -> Promise<Cart> {
  after(.seconds(1)).map { Cart() }
}

func show(_ cart: Promise<Cart>) {
  cart.done { cart in print(cart.items) }
}
