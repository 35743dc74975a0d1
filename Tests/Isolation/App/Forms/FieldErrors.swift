import Networking

struct Problem: Codable {
  var field: String
  var message: String
}

@MainActor final class FieldErrors {
  private(set) var errors: [String: String] = [:]
  private let networking = Networking<BoardsAPI>()

  func create(_ title: String) {
    networking.request(.create(title: title)).validate().fail { error in
      guard let error = error as? NetworkError,
        let problem = try? error.decodeBody(Problem.self)
      else { return }
      self.errors[problem.field] = problem.message
    }
  }
}
