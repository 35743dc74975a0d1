import Foundation
import Networking

extension StubValue {
  static let bodyNames = ["json", "text", "base64", "file"]
  static let answerNames =
    ["status", "headers"] + bodyNames
    + ["delay", "bodyDelay", "bytesPerSecond", "dribble", "fault"]

  /// An answer of a sequence.
  func answer(in folder: URL) throws(JSONProblem) -> Mock {
    try object(Self.answerNames, "an answer, such as {\"status\": 503}").answer(in: folder)
  }
}

extension StubObject {
  /// The answer that the members make, those of other concern aside.
  func answer(in folder: URL) throws(JSONProblem) -> Mock {
    var mock = try body(in: folder)
    if let status = self["status"] {
      mock.status = try status.int(200...599, "a status from 200 to 599")
    }
    if let headers = self["headers"] { try headers.addHeaders(to: &mock.headers) }
    mock.delay = try self["delay"]?.delay()
    mock.bodyDelay = try self["bodyDelay"]?.delay()
    mock.interruption = try self["fault"]?.interruption()
    if let rate = self["bytesPerSecond"] {
      mock = mock.throttled(
        bytesPerSecond: try rate.int(1...Int.max, "a number of bytes a second, 1 or more"))
    }
    if let dribble = self["dribble"] {
      if let rate = self["bytesPerSecond"] { throw rate.conflict(with: "dribble") }
      let object = try dribble.object(
        ["pieces", "over"], "an object such as {\"pieces\": 10, \"over\": \"5 s\"}")
      mock = mock.dribbled(
        pieces: try object.required("pieces", "a number").int(
          1...1_000_000, "a number from 1 to 1000000"),
        over: try object.required("over", "a time").duration())
    }
    return mock
  }

  private func body(in folder: URL) throws(JSONProblem) -> Mock {
    let names = StubValue.bodyNames.filter { self[$0] != nil }
    guard let name = names.first, let value = self[name] else { return Mock() }
    if let second = names.dropFirst().first, let other = self[second] {
      throw other.conflict(with: name)
    }
    switch name {
    case "json": return .json(value.json)
    case "text": return .text(try value.string())
    case "base64":
      guard let data = Data(base64Encoded: try value.string("bytes in base64")) else {
        throw value.expected("bytes in base64")
      }
      return .data(data)
    default:
      let file = MockFile(try value.string("the name of a file"), in: folder)
      // It is read each time it is answered; but a name that is wrong is told at once.
      guard file.places.contains(where: { FileManager.default.isReadableFile(atPath: $0.path) })
      else {
        throw JSONProblem(
          path: value.path, text: "there is no file \"\(file.name)\" in \(folder.relativePath)")
      }
      return .file(file.name, in: folder)
    }
  }
}

extension StubValue {
  /// Says that this and another member cannot be in one object.
  func conflict(with other: String) -> JSONProblem {
    let name = if case .member(let name) = path.steps.last { name } else { "" }
    return JSONProblem(
      path: path, isAboutName: true, text: "\"\(name)\" does not go with \"\(other)\"")
  }

  /// Sets header fields; those that have several values more than once.
  fileprivate func addHeaders(to headers: inout HTTPHeaders) throws(JSONProblem) {
    for (name, value) in try members("an object of header fields") {
      guard name.isToken else {
        throw JSONProblem(
          path: value.path, isAboutName: true,
          text: "expected the name of a header field, found \(name.debugDescription)")
      }
      headers.remove(name)
      let values: [StubValue] =
        if case .array = value.json { try value.elements("texts") } else { [value] }
      for value in values {
        let text = try value.string("a text, or several")
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
          throw value.expected("a text without line breaks and other control characters")
        }
        headers.add(text, for: name)
      }
    }
  }
}
