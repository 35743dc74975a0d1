import Dispatch
import Foundation
import Networking
import NetworkingXML
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingContracts
@testable import MockingRecordings

/// The check of real exchanges against a contract.
@Suite(.gated)
struct ContractMonitorTests {
  private static let pet = #"{"id":7,"name":"Tom"}"#

  /// Sends requests to a server that is not that of the contract.
  private static func report(
    _ requests: [Request], @RouteBuilder _ routes: () -> [Route]
  ) async throws -> ContractReport {
    let monitor = ContractMonitor(try ContractFixture.contract())
    let networking = Networking<Request>(transport: MockTransport(routes: routes))
    networking.baseURL = URL.of("https://staging.example.com/v1")
    networking.interceptors.append(monitor, at: .hop)
    for request in requests { _ = try await networking.request(request).value }
    return monitor.report
  }

  private static func report(
    _ request: Request, to mock: Mock, at path: String = "/v1/pets/7"
  ) async throws -> ContractReport {
    try await report([request]) { Route(nil, path, mock) }
  }

  private static func json(_ text: String, status: Int = 200) -> Mock {
    .data(Data(text.utf8), contentType: "application/json", status: status)
  }

  @Test func exchangesThatWouldWaitTooLongAreCountedOnly() throws {
    let monitor = ContractMonitor(try ContractFixture.contract())
    // The queue is the gate: no exchange is checked before it continues.
    let gate = DispatchSemaphore(value: 0)
    monitor.enqueue { gate.wait() }
    let request = HTTPRequest(url: URL.of("https://a.test/v1/pets/7"))
    for _ in 0..<259 {
      monitor.check { CheckedExchange(request, HTTPResponseHead(status: 404, headers: [:]), nil) }
    }
    gate.signal()
    let report = monitor.report
    #expect(report.exchangeCount == 256 && report.uncheckedCount == 3 && !report.isKept)
    #expect("\(report)".contains("not checked, because too many were waiting: 3 exchanges"))
    #expect(report.json["unchecked"] == 3)
    monitor.reset()
    #expect(monitor.report.uncheckedCount == 0)
  }

  // MARK: Responses

  @Test(arguments: [
    (#"{"id":7}"#, "the value: the member name is missing"),
    (#"{"id":7,"name":"T"}"#, "/name: expected at least 2 characters, found 1"),
    (#"{"id":"7","name":"Tom"}"#, "/id: expected an integer, found a string"),
    ("<html>", "the body is not JSON"),
  ])
  func aBodyThatDoesNotKeepItsSchemaIsAViolation(body: String, message: String) async throws {
    let report = try await Self.report(.get("pets/7"), to: Self.json(body))
    let violation = try #require(report.violations.first)
    #expect(report.violations.count == 1 && !report.isKept)
    #expect(violation.message == message)
    #expect(violation.side == .response && violation.location == .body && violation.status == 200)
    #expect(violation.operation.id == "getPet" && violation.target == "/v1/pets/7")
  }

  @Test func aBodyThatKeepsItsSchemaIsNone() async throws {
    let report = try await Self.report(.get("pets/7"), to: Self.json(Self.pet))
    #expect(report.isKept && report.exchangeCount == 1)
    #expect(report.exercised.map(\.id) == ["getPet"])
    #expect(report.unexercised.count == 4)
    try report.verify()
  }

  @Test(arguments: [(418, true), (500, false), (200, true)])
  func onlyDocumentedStatusesKeepAContract(status: Int, isKept: Bool) async throws {
    let report = try await Self.report(.get("pets/7"), to: Self.json(Self.pet, status: status))
    #expect(report.isKept == isKept)
    if !isKept {
      #expect(report.violations.map(\.message) == ["expected the status 200, 4XX, found 500"])
      #expect(report.violations.map(\.location) == [.status])
    }
  }

  @Test func anotherContentTypeIsAViolation() async throws {
    let html = try await Self.report(
      .get("pets/7"), to: .data(Data("x".utf8), contentType: "text/html"))
    #expect(
      html.violations.map(\.message)
        == ["expected the content type application/json, found text/html"])
    let none = try await Self.report(
      .get("pets/7"), to: Mock(status: 200).header("Content-Length", "0"))
    #expect(none.violations.map(\.message) == ["the response has no body"])
  }

  @Test func headerFieldsAreChecked() async throws {
    let list = Request.get("pets", headers: ["X-Key": "k"])
    let mock = Self.json("[\(Self.pet),\(Self.pet)]").header("X-Total", "-1")
    let report = try await Self.report(list, to: mock, at: "/v1/pets")
    #expect(
      report.violations.map(\.message) == [
        "the header field X-Total: expected at least 0, found less"
      ]
        || report.violations.first?.name == "X-Total")
    #expect(report.violations.map(\.location) == [.header])
  }

  // MARK: Requests

  @Test func aRequestThatTheServerAcceptsMustKeepTheContract() async throws {
    let request = Request.post(
      "pets", parameters: ["name": "T"], headers: ["X-Key": "k"], contentType: .json)
    let accepted = try await Self.report(
      request, to: Self.json(Self.pet, status: 201), at: "/v1/pets")
    #expect(accepted.violations.map(\.side) == [.request])
    #expect(accepted.violations.first?.pointer == "/name")
    #expect(
      accepted.violations.first?.schema?.hasSuffix("#/components/schemas/NewPet/properties/name")
        == true)
    let refused = try await Self.report(
      request, to: .json([:], status: 409).header("Content-Type", "application/problem+json"),
      at: "/v1/pets")
    #expect(refused.violations.isEmpty)
  }

  @Test func missingCredentialsAreAViolation() async throws {
    let mock = Self.json("[\(Self.pet),\(Self.pet)]")
    let report = try await Self.report(.get("pets"), to: mock, at: "/v1/pets")
    #expect(report.violations.map(\.location) == [.security])
  }

  @Test func aRequestWithoutAnOperationIsUndocumented() async throws {
    let report = try await Self.report([
      .get("owners/token=s3cret-9"), .get("owners/token=s3cret-9"), .delete("pets/7"),
    ]) { Route(nil, "/{path*}", .status(200)) }
    #expect(report.undocumented.map(\.method) == [.get, .delete])
    #expect(report.undocumented.map(\.count) == [2, 1])
    #expect(report.exchangeCount == 0 && report.violations.isEmpty && !report.isKept)
    #expect(!"\(report)".contains("s3cret") && !report.junit.contains("s3cret"))
  }

  // MARK: Reports

  @Test func equalViolationsOfElementsAreCounted() async throws {
    let list = Request.get("pets", headers: ["X-Key": "k"])
    let mock = Self.json(#"[{"id":1},{"id":2},{"id":3}]"#)
    let report = try await Self.report([list, list]) { Route(.get, "/v1/pets", mock) }
    #expect(report.violations.map(\.count) == [6])
    #expect(report.violations.map(\.pointer) == ["/0"])
  }

  @Test func aMonitorForgetsAfterAReset() async throws {
    let monitor = ContractMonitor(try ContractFixture.contract())
    let networking = Networking<Request>(
      transport: MockTransport { Route(.get, "/v1/pets/7", .text("x")) })
    networking.interceptors.append(monitor, at: .hop)
    _ = try await networking.request(.get("https://a.example/v1/pets/7")).value
    #expect(monitor.report.violations.count == 1)
    monitor.reset()
    #expect(monitor.report.isKept && monitor.report.exchangeCount == 0)
  }

  @Test func aReportIsText() async throws {
    let report = try await Self.report([.get("pets/7"), .get("pets/7"), .get("owners")]) {
      Route(.get, "/v1/pets/7", Self.json(#"{"id":7,"name":null}"#))
      Route(.get, "/v1/owners", .status(200))
    }
    #expect(
      "\(report)" == """
        Pets 2: 2 exchanges, 1 violation, 1 undocumented request, 4 of 5 operations not exercised
        violations:
          GET /pets/{id} (getPet): response 200: /name: expected a string, found null; 2 times, first GET /v1/pets/7
            openapi.yaml#/components/schemas/Pet/properties/name
        undocumented:
          GET /v1/owners
        not exercised:
          GET /pets (listPets)
          POST /pets (createPet)
          GET /pets/mine
          GET /reports/{year}-{month}.pdf
        """)
    let error = #expect(throws: ContractViolationError.self) { try report.verify() }
    #expect(error?.description == "\(report)")
  }

  @Test func aReportIsJSON() async throws {
    let report = try await Self.report(.get("pets/7"), to: Self.json(#"{"id":7,"name":null}"#))
    let json = try JSON(parsing: report.json.data())
    #expect(json["kept"] == false && json["exchanges"] == 1)
    #expect(json["violations"][0]["pointer"] == "/name")
    #expect(json["violations"][0]["operation"]["id"] == "getPet")
    #expect(json["unexercised"].array?.count == 4)
  }

  @Test func aReportIsJUnitThatAnXMLParserReads() async throws {
    let report = try await Self.report([.get("pets/7"), .get("a&b")]) {
      Route(.get, "/v1/pets/7", Self.json(#"{"id":7,"name":null}"#))
      Route(.get, "/{path*}", .status(200))
    }
    let root = try XML.Document(parsing: report.junit).root
    #expect(root.name == "testsuites" && root[attribute: "tests"] == "6")
    #expect(root[attribute: "failures"] == "2" && root[attribute: "skipped"] == "4")
    let cases = root.all("testcase")
    #expect(cases.count == 6)
    #expect(cases.filter { !$0.elements("failure").isEmpty }.count == 2)
    #expect(cases.filter { !$0.elements("skipped").isEmpty }.count == 4)
  }

  @Test func aViolationIsReportedOnceWhenItIsFound() async throws {
    let found = Log<String>()
    let monitor = ContractMonitor(try ContractFixture.contract()) { found.append($0.pointer) }
    let networking = Networking<Request>(
      transport: MockTransport { Route(.get, "/v1/pets/7", Self.json(#"{"id":7,"name":1}"#)) })
    networking.interceptors.append(monitor, at: .hop)
    for _ in 0..<3 { _ = try await networking.request(.get("https://a.example/v1/pets/7")).value }
    #expect(monitor.report.violations.map(\.count) == [3])
    #expect(found.entries == ["/name"])
  }

  // MARK: Recordings

  @Test func aRecordingKeepsAContractAlthoughItsSecretsAreMasked() async throws {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: Login, version: "1"}
        paths:
          /login:
            post:
              requestBody:
                content:
                  application/json:
                    schema: {type: object, properties: {password: {type: string, maxLength: 4}}}
              responses:
                "200":
                  description: The token
                  content:
                    application/json:
                      schema:
                        type: object
                        properties:
                          token: {type: string, pattern: "^t[0-9]$"}
                          user: {type: string, maxLength: 3}
        """)
    let folder = TemporaryFolder()
    func tape(user: String) async throws -> Tape {
      let server = MockTransport {
        Route(.post, "/login", .json(["token": "t1", "user": .string(user)]))
      }
      let tape = try Tape(folder.url("\(user).har"), mode: .all, over: server)
      let networking = Networking<Request>(transport: tape)
      _ = try await networking.request(
        .post("https://a.example/login", parameters: ["password": "p4ss"])
      ).value
      try tape.save()
      return tape
    }
    try contract.verify(try await tape(user: "ada"))
    let error = await #expect(throws: ContractViolationError.self) {
      try contract.verify(try await tape(user: "grace"))
    }
    #expect(error?.report.violations.map(\.pointer) == ["/user"])
    let archive = try HAR(contentsOf: folder.url("grace.har"))
    #expect(contract.report(on: archive).violations.map(\.pointer) == ["/user"])
  }

  @Test func aForwardingServerIsChecked() async throws {
    let monitor = ContractMonitor(try ContractFixture.contract())
    let origin = MockTransport { Route(.get, "/v1/pets/7", Self.json(#"{"id":7,"name":1}"#)) }
    let gateway = MockTransport {
      Route.forwarding(to: URL.of("https://staging.example.com"), over: monitor.checking(origin))
    }
    let record = await gateway.get(URL.of("http://127.0.0.1/v1/pets/7"))
    #expect(record.head?.status == 200)
    #expect(monitor.report.violations.map(\.pointer) == ["/name"])
  }
}
