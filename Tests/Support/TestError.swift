/// An error that says which one it is.
package struct TestError: Error, Equatable, CustomStringConvertible {
  package let name: String

  package init(_ name: String = "test") {
    self.name = name
  }

  package var description: String { "TestError(\(name))" }
}

extension Result where Failure == any Error {
  /// The failure as one particular type, or nil.
  package func failure<Expected: Error>(as type: Expected.Type = Expected.self) -> Expected? {
    if case .failure(let error) = self { error as? Expected } else { nil }
  }

  package var error: (any Error)? {
    if case .failure(let error) = self { error } else { nil }
  }
}
