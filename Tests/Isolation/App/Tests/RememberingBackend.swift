import Mocking

final class RememberingBackend {
  let titles = MockState<[String]>([])

  func provider() -> MockProvider<BoardsAPI> {
    MockProvider { [titles] endpoint in
      switch endpoint {
      case .create(let title):
        titles.withValue { $0.append(title) }
        return .status(201)
      case .boards: return .json(.array(titles.value.map { .string($0) }))
      default: return nil
      }
    }
  }
}
