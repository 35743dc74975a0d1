import Foundation
import Networking

extension HAR {
  /// Throws what types alone do not say.
  func check() throws(JSONProblem) {
    guard ["1.1", "1.2", ""].contains(log.version) else {
      throw JSONProblem(
        path: ["log", "version"], text: "expected 1.2, found \(log.version.debugDescription)")
    }
    for (index, entry) in log.entries.enumerated() {
      if let problem = entry.problem {
        throw JSONProblem(
          path: JSONValuePath(steps: ["log", "entries", .element(index)] + problem.path.steps),
          text: problem.text)
      }
    }
  }
}

extension HAR.Entry {
  /// What is wrong with it, at a path from here; nil for nothing.
  fileprivate var problem: JSONProblem? {
    func expected(_ expectation: String, at path: JSONValuePath) -> JSONProblem {
      JSONProblem(path: path, text: "expected \(expectation)")
    }
    if !Self.isTimestamp(startedDateTime) {
      return expected("a date and time in ISO 8601", at: ["startedDateTime"])
    }
    if !request.method.isToken {
      return expected("a method, such as GET", at: ["request", "method"])
    }
    if URL(string: request.url)?.scheme == nil {
      return expected("an absolute URL", at: ["request", "url"])
    }
    let isStatus =
      (100...999).contains(response.status)
      || (response.status == 0 && response.content.text == nil)
    if !isStatus {
      return expected("a status of three digits, or 0", at: ["response", "status"])
    }
    if !timings.areWithinADay { return expected("times of at most a day", at: ["timings"]) }
    if response.content.data == nil {
      return expected("base64, as its encoding says", at: ["response", "content", "text"])
    }
    if request.postData?.isReadable == false {
      return expected("base64, as its _encoding says", at: ["request", "postData", "text"])
    }
    return nil
  }
}
