/// The steps of the walk, in order.
enum Step: String, CaseIterable, Sendable {
  case logIn = "log in"
  case list = "list the boards"
  case details = "fetch each board"
  case create = "create one"
  case update = "rename it"
  case delete = "delete it"

  /// What it asks for, to be read.
  var request: String {
    switch self {
    case .logIn: "POST login"
    case .list: "GET boards"
    case .details: "GET boards/{id}"
    case .create: "POST boards"
    case .update: "PATCH boards/{id}"
    case .delete: "DELETE boards/{id}"
    }
  }

  /// Where a walk came to its end too soon, and why.
  struct Failure: Error, CustomStringConvertible {
    let step: Step
    let reason: any Error

    var description: String { "could not \(step.rawValue): \(reason)" }
  }
}
