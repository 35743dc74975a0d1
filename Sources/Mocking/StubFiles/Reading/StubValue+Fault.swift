import Foundation

extension StubValue {
  private static let faults = ["close", "reset", "stall", "garbage", "malformedChunk"]
  private static let stages = ["request", "head", "body", "end"]

  /// What goes wrong with a response, and where.
  func interruption() throws(JSONProblem) -> Mock.Interruption {
    if case .string = json {
      return Mock.Interruption(fault: try fault(named: self, bytes: nil), stage: .request)
    }
    let object = try object(
      ["type", "at", "afterBytes", "text"],
      "a fault, such as {\"type\": \"reset\", \"at\": \"body\"}")
    let fault = try fault(
      named: try object.required("type", "the fault"), bytes: try object["text"]?.string())
    let count = try object["afterBytes"]?.int(0...Int.max, "a number of bytes, 0 or more")
    let stage = try object["at"]?.name(of: Self.stages) ?? "request"
    switch stage {
    case "head": return Mock.Interruption(fault: fault, stage: .head(afterBytes: count ?? 0))
    case "body": return Mock.Interruption(fault: fault, stage: .body(afterBytes: count ?? 0))
    default:
      if count != nil, let value = object["afterBytes"] {
        throw JSONProblem(
          path: value.path, isAboutName: true,
          text: "\"afterBytes\" goes with \"at\": \"head\" or \"body\" only")
      }
      return Mock.Interruption(fault: fault, stage: stage == "end" ? .end : .request)
    }
  }

  /// What happens to a connection: to all, where no index is named.
  func connectionFault() throws(JSONProblem) -> (connection: Int?, fault: MockFault) {
    let object = try object(
      ["connection", "type", "text"], "a fault, such as {\"connection\": 0, \"type\": \"reset\"}")
    let connection = try object["connection"]?.int(
      0...Int.max, "the index of a connection, 0 or more")
    let type = try object.required("type", "the fault")
    return (connection, try fault(named: type, bytes: try object["text"]?.string()))
  }

  private func fault(named value: StubValue, bytes: String?) throws(JSONProblem) -> MockFault {
    switch try value.name(of: Self.faults) {
    case "close": .close
    case "reset": .reset
    case "stall": .stall
    case "malformedChunk": .malformedChunk
    default: bytes.map { .garbage(Data($0.utf8)) } ?? .garbage
    }
  }
}
