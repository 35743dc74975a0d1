import Networking

/// An object of a file of stubs, with no members but those it may have.
struct StubObject {
  let path: JSONValuePath
  let members: [String: StubValue]

  subscript(name: String) -> StubValue? { members[name] }

  func required(_ name: String, _ expectation: String) throws(JSONProblem) -> StubValue {
    guard let value = members[name] else {
      throw JSONProblem(path: path, text: "expected a member \"\(name)\", \(expectation)")
    }
    return value
  }
}
