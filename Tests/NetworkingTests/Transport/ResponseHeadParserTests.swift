import Testing

@testable import Networking

struct ResponseHeadParserTests {
  private func heads(_ lines: [String]) -> [HTTPResponseHead] {
    var parser = ResponseHeadParser()
    return lines.compactMap { line in
      Array((line + "\r\n").utf8).withUnsafeBytes { parser.take($0) }
    }
  }

  @Test(arguments: ["1.0", "1.1", "2", "3"])
  func statusAndVersionAreRead(_ version: String) {
    let lines = ["HTTP/\(version) 404 Not Found", ""]
    #expect(heads(lines) == [HTTPResponseHead(status: 404, version: version)])
    #expect(heads(["HTTP/\(version) 200", ""]).map(\.status) == [200])
  }

  @Test func interimHeadsGoWithTheirFields() {
    let lines = ["HTTP/1.1 103 Early", "A: 1", "", "HTTP/1.1 200 OK", "B: 2", ""]
    #expect(heads(lines) == [HTTPResponseHead(status: 200, headers: ["B": "2"])])
  }

  @Test func nothingIsTakenBehindTheHead() {
    let lines = ["HTTP/1.1 200 OK", "", "A: 1", "", "HTTP/1.1 500 No", ""]
    #expect(heads(lines) == [HTTPResponseHead(status: 200)])
  }

  @Test func blanksAroundNamesAndValuesGo() {
    let lines = ["HTTP/1.1 200 OK", "A :  b c \t", "D:", "E: f:g", "nothing", ""]
    #expect(heads(lines).first?.headers == ["A": "b c", "D": "", "E": "f:g"])
  }

  @Test(arguments: [
    ["A: 1", ""], ["HTTP/1.1 xyz", ""], ["HTTP/1.1", ""], ["HTTP/", ""], [" folded", ""], [""],
  ])
  func whatHasNoStatusIsNoHead(_ lines: [String]) {
    #expect(heads(lines).isEmpty)
  }
}
