import Foundation
package import Mocking
import MockingDocuments
import MockingResources
import MockingTemplates
import Networking

extension StubValue {
  static let bodyKeys =
    ["json", "text", "base64", "file", "folder", "problem"] + streamBodyKeys
  static let responseKeys =
    ["status", "headers"] + bodyKeys
    + ["delay", "bodyDelay", "bytesPerSecond", "dribble", "fault"] + streamOptionKeys + messageKeys
    + templateKeys

  /// Parses a response of a sequence.
  func response(in folder: URL) throws(JSONDocumentError) -> Mock {
    try object(Self.responseKeys, "a response, such as {\"status\": 503}").response(in: folder)
  }
}

extension StubObject {
  /// Parses the members that describe a response, and ignores all others.
  func response(in folder: URL) throws(JSONDocumentError) -> Mock {
    var mock = try body(in: folder)
    if let status = self["status"], !isTemplate(status) {
      mock.status = try status.int(200...599, "a status from 200 to 599")
    }
    if let headers = self["headers"] { try headers.addHeaders(to: &mock.headers) }
    try addMessageParts(to: &mock)
    mock.delay = try self["delay"]?.delay()
    mock.bodyDelay = try self["bodyDelay"]?.delay()
    mock.interruption = try self["fault"]?.interruption()
    if let rate = self["bytesPerSecond"] {
      mock = mock.throttled(
        bytesPerSecond: try rate.int(1...Int.max, "a number of bytes per second, 1 or more"))
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
    return try applyingTemplates(to: mock, in: folder)
  }

  private func body(in folder: URL) throws(JSONDocumentError) -> Mock {
    let names = StubValue.bodyKeys.filter { self[$0] != nil }
    guard let name = names.first, let value = self[name] else { return Mock() }
    if let second = names.dropFirst().first, let other = self[second] {
      throw other.conflict(with: name)
    }
    switch name {
    case "json":
      guard let text = try? memberOrder.encode(value.json) else { return .json(value.json) }
      return .data(text, contentType: "application/json")
    case "text": return .text(try value.string())
    case "base64":
      guard let data = Data(base64Encoded: try value.string("bytes in base64")) else {
        throw value.expected("bytes in base64")
      }
      return .data(data)
    case "events", "lines": return try stream(name, value)
    case "problem": return try problem(value)
    case "folder": return try value.folderBody(in: folder)
    default: return try value.fileBody(in: folder)
    }
  }

  /// Parses the detail of a problem document, whose status may be a template.
  private func problem(_ value: StubValue) throws(JSONDocumentError) -> Mock {
    let detail = try value.string("a text, such as \"the password is wrong\"")
    guard let status = self["status"] else {
      throw JSONDocumentError(
        path: value.path, refersToName: true, text: "\"problem\" requires \"status\", such as 404")
    }
    guard !isTemplate(status) else { return .problem(500, detail) }
    return .problem(try status.int(400...599, "a status from 400 to 599"), detail)
  }
}

extension StubValue {
  /// Returns the error for this member if it cannot be combined with another one.
  func conflict(with other: String) -> JSONDocumentError {
    let name = if case .member(let name) = path.steps.last { name } else { "" }
    return JSONDocumentError(
      path: path, refersToName: true, text: "\"\(name)\" cannot be combined with \"\(other)\"")
  }

  /// Sets header fields from the members of this object.
  ///
  /// If the value of a member is an array, one field is added for each element.
  func addHeaders(to headers: inout HTTPHeaders) throws(JSONDocumentError) {
    for (name, value) in try members("an object of header fields") {
      guard name.isToken else {
        throw JSONDocumentError(
          path: value.path, refersToName: true,
          text: "expected the name of a header field, found \(name.debugDescription)")
      }
      headers.remove(name)
      let values: [StubValue] =
        if case .array = value.json { try value.elements("an array of strings") } else { [value] }
      for value in values {
        let text = try value.string("a string or an array of strings")
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
          throw value.expected("a string without line breaks or other control characters")
        }
        headers.add(text, for: name)
      }
    }
  }

  // MARK: Faults

  private static let faults = ["close", "reset", "stall", "garbage", "malformedChunk"]
  private static let stages = ["request", "head", "body", "end"]

  /// Parses the fault of a response and its stage.
  func interruption() throws(JSONDocumentError) -> Mock.Interruption {
    if case .string = json {
      return Mock.Interruption(fault: try fault(named: self, bytes: nil), stage: .request)
    }
    let object = try object(
      ["type", "at", "afterBytes", "text", "chance"],
      "a fault, such as {\"type\": \"reset\", \"at\": \"body\"}")
    let fault = try fault(
      named: try object.required("type", "the fault"), bytes: try object["text"]?.string())
    let count = try object["afterBytes"]?.int(0...Int.max, "a number of bytes, 0 or more")
    let stage = try object["at"]?.name(of: Self.stages) ?? "request"
    let chance = try object["chance"]?.chance() ?? 1
    func interruption(_ stage: MockFault.Stage) -> Mock.Interruption {
      Mock.Interruption(fault: fault, stage: stage, chance: chance)
    }
    switch stage {
    case "head": return interruption(.head(afterBytes: count ?? 0))
    case "body": return interruption(.body(afterBytes: count ?? 0))
    default:
      if count != nil, let value = object["afterBytes"] {
        throw JSONDocumentError(
          path: value.path, refersToName: true,
          text: "\"afterBytes\" requires \"at\": \"head\" or \"body\"")
      }
      return interruption(stage == "end" ? .end : .request)
    }
  }

  /// Parses a connection fault.
  ///
  /// Without an index it applies to all connections.
  func connectionFault() throws(JSONDocumentError) -> (connection: Int?, fault: MockFault) {
    let object = try object(
      ["connection", "type", "text"], "a fault, such as {\"connection\": 0, \"type\": \"reset\"}")
    let connection = try object["connection"]?.int(
      0...Int.max, "the index of a connection, 0 or more")
    let type = try object.required("type", "the fault")
    return (connection, try fault(named: type, bytes: try object["text"]?.string()))
  }

  private func fault(named value: StubValue, bytes: String?) throws(JSONDocumentError) -> MockFault
  {
    switch try value.name(of: Self.faults) {
    case "close": .close
    case "reset": .reset
    case "stall": .stall
    case "malformedChunk": .malformedChunk
    default: bytes.map { .garbage(Data($0.utf8)) } ?? .garbage
    }
  }

  // MARK: Durations and delays

  /// Parses a duration with its unit, such as `80 ms`.
  func duration() throws(JSONDocumentError) -> Duration {
    let expectation = "a time such as \"80 ms\", \"1.5 s\" or \"2 min\""
    let text = try string(expectation).filter { $0 != " " }
    let units: [(name: String, nanoseconds: Double)] = [
      ("us", 1e3), ("ms", 1e6), ("min", 60e9), ("s", 1e9),
    ]
    for unit in units where text.hasSuffix(unit.name) {
      let number = text.dropLast(unit.name.count)
      guard let first = number.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
        let amount = Double(number), amount * unit.nanoseconds <= 86_400e9
      else { break }
      // Whole nanoseconds, so that 700 ms are not 0.7000000000000002 s.
      return .nanoseconds(Int64((amount * unit.nanoseconds).rounded()))
    }
    throw expected("\(expectation), at most one day")
  }

  /// Parses a delay: a fixed duration or a random distribution.
  func delay() throws(JSONDocumentError) -> MockDelay {
    if case .string = json { return .fixed(try duration()) }
    let expectation =
      "a time such as \"80 ms\", {\"from\": ..., \"to\": ...} or "
      + "{\"median\": ..., \"sigma\": ..., \"cap\": ...}"
    let object = try object(["from", "to", "median", "sigma", "cap", "seed"], expectation)
    let seed = try object["seed"]?.seed()
    let names = Set(object.members.keys).subtracting(["seed"])
    if names == ["from", "to"] {
      let (least, most) = (
        try object.required("from", "a time").duration(),
        try object.required("to", "a time").duration()
      )
      guard least <= most else { throw expected("a \"from\" that is not greater than \"to\"") }
      return .uniform(least, most, seed: seed)
    }
    guard names == ["median", "sigma", "cap"] else { throw expected(expectation) }
    let sigma = try object.required("sigma", "a number")
    guard let deviation = sigma.json.double, (0...10).contains(deviation) else {
      throw sigma.expected("a number from 0 to 10")
    }
    return .logNormal(
      median: try object.required("median", "a time").duration(), sigma: deviation,
      cap: try object.required("cap", "a time").duration(), seed: seed)
  }
}

extension MockDelay {
  /// Parses a delay, such as `80ms`, or a random one, such as `80ms-300ms`.
  ///
  /// Returns `nil` for another text.
  package init?(parsing text: String) {
    let times = text.split(separator: "-", omittingEmptySubsequences: false).map {
      try? StubValue(json: .string(String($0)), path: JSONValuePath()).duration()
    }
    switch times.count {
    case 1:
      guard let time = times[0] else { return nil }
      self = .fixed(time)
    case 2:
      guard let least = times[0], let most = times[1], least <= most else { return nil }
      self = .uniform(least, most)
    default: return nil
    }
  }
}

// MARK: - Files

extension StubValue {
  /// Checks a name by the rule for all names of files, and reports a violation at this value.
  func checkingName<Result>(
    _ check: () throws(InnerPath.Violation) -> Result
  ) throws(JSONDocumentError) -> Result {
    do throws(InnerPath.Violation) {
      return try check()
    } catch {
      throw JSONDocumentError(path: path, text: error.reason)
    }
  }

  /// Returns the path to which the name of a file or folder leads, or `nil` if there is none.
  func resolvedName(_ name: String, in folder: URL) throws(JSONDocumentError) -> ResolvedPath? {
    guard !name.isEmpty else { throw expected("a name") }
    return try checkingName { () throws(InnerPath.Violation) in
      try InnerPath(name).resolved(in: folder)
    }
  }

  /// Parses the name of a file with the body of a response.
  ///
  /// The file is read for each response, but a missing file is reported now.
  func fileBody(in folder: URL) throws(JSONDocumentError) -> Mock {
    let file = MockFile(try string("the name of a file"), in: folder)
    if let found = try resolvedName(file.name, in: folder),
      FileManager.default.isReadableFile(atPath: found.text)
    {
      return .file(file.name, in: folder)
    }
    let hint =
      Template.isTemplate(json)
      ? "; the name of a file cannot be a template, but \"folder\" serves all files of a folder: "
        + "{\"path\": \"/images/{name*}\", \"folder\": \"images\"}" : ""
    throw JSONDocumentError(
      path: path, text: "there is no file \"\(file.name)\" in \(folder.relativePath)\(hint)")
  }

  /// Parses the name of a folder whose files requests name by the last variable of the path.
  func folderBody(in folder: URL) throws(JSONDocumentError) -> Mock {
    let name = try string("the name of a folder, such as \"images\"")
    guard !Template.isTemplate(json) else {
      throw JSONDocumentError(
        path: path,
        text: "the name of a folder cannot be a template, found \(name.debugDescription)")
    }
    guard try resolvedName(name, in: folder)?.isFolder == true else {
      throw JSONDocumentError(
        path: path, text: "there is no folder \"\(name)\" in \(folder.relativePath)")
    }
    let url = folder.appendingPathComponent(name, isDirectory: true)
    guard let variable = context.lastVariable else {
      throw JSONDocumentError(
        path: path, refersToName: true,
        text: "\"folder\" requires a path that ends with a variable, such as \"/images/{name*}\"")
    }
    return .folder(url, variable: variable)
  }
}
