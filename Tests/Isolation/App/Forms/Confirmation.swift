import Networking

@MainActor final class Dialog {
  func ask(_ answer: @escaping (Bool) -> Void) { answer(true) }
}

@MainActor final class Confirmation {
  private let dialog = Dialog()

  func confirmed() -> Promise<Bool> {
    Promise { resolver in dialog.ask { resolver.fulfill($0) } }
  }
}
