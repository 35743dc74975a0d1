/// Why a request is not even looked at: the status to answer with, and what was wrong, for people.
struct RequestRefusal: Error, Hashable {
  let status: Int
  let reason: String

  init(_ status: Int, _ reason: String) {
    self.status = status
    self.reason = reason
  }
}
