import Foundation
import Mocking
import NetworkingXML
import TestGate
import TestSupport
import Testing

/// Requests and responses with XML and SOAP.
@Suite(.gated)
struct SOAPTests {
  private static let shop = XML.Namespace("urn:shop", prefix: "s")
  private static let soap11 = SOAPEnvelope.Version.soap11.rawValue
  private static let soap12 = SOAPEnvelope.Version.soap12.rawValue

  private func response(
    _ body: String, status: Int = 200, type: String = "application/xml"
  ) -> NetworkPromise {
    .fulfilled(
      Response(
        head: HTTPResponseHead(status: status, headers: ["Content-Type": type]),
        data: Data(body.utf8), request: HTTPRequest(url: .of("https://a.example/"))))
  }

  private func error<Value: Sendable>(_ promise: Promise<Value>) async -> NetworkError? {
    await promise.result.failure(as: NetworkError.self)
  }

  // MARK: - XML

  @Test func aBodyIsParsedInTheCharsetOfItsType() async throws {
    let latin = response("<a>é</a>", type: "text/xml; charset=ISO-8859-1")
    #expect(try await latin.toXml().value.root.string == "\u{C3}\u{A9}")
    #expect(try await response("<a>é</a>", type: "text/xml").toXml().value["a"]?.string == "é")
  }

  @Test func aBodyThatIsNotXMLIsADecodingError() async {
    let invalid = await error(response("<a>\n<b s3cret='x").toXml())
    #expect(invalid?.code == .decodingFailed)
    #expect((invalid?.underlying as? XMLError)?.code == .notWellFormed)
    let bomb = await error(response("<!DOCTYPE a><a/>").toXml())
    #expect((bomb?.underlying as? XMLError)?.code == .documentType)
    #expect(bomb?.reason?.contains("line 1") == true)
    #expect(await error(response("").toXml())?.code == .noData)
    #expect(await error(response("<a/>", status: 204).toXml())?.code == .noData)
    let deep = await error(response("<a><b/></a>").toXml(limits: XML.Limits(depth: 1)))
    #expect((deep?.underlying as? XMLError)?.code == .limitExceeded)
    let missing = await error(response("<p>no such page", status: 404).toXml())
    #expect(missing?.description.contains("the response has the status 404") == true)
  }

  @Test func aRequestSendsItsTree() throws {
    let request: Request = try .send(
      xml: XML("order", ["id": 7]), to: "orders", method: .put, parameters: ["draft": true])
    let built = try RequestBuilder(baseURL: BaseURL(host: "a.example")).build(request)
    #expect(built.headers["Content-Type"] == "application/xml")
    #expect(built.headers["Accept"]?.hasPrefix("application/xml,") == true)
    #expect(built.url.query == "draft=true")
    #expect(
      request.payload
        == .data(Data("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<order id=\"7\"/>".utf8)))
  }

  @Test func aTreeThatCannotBeWrittenRejectsTheRequest() {
    let error = #expect(throws: NetworkError.self) {
      let _: Request = try .send(xml: XML("a b"), to: "orders")
    }
    #expect(error?.code == .encodingFailed)
    #expect(error?.request?.url == "orders")
    #expect((error?.underlying as? XMLError)?.code == .notRepresentable)
  }

  @Test func secretsInXMLAreMasked() throws {
    let body = try XML("login", ["token": "s3cret-1"]) {
      Self.shop("password") { "s3cret-2" }
      XML("apiKey") { XML.Node.cdata("s3cret-3") }
    }.text()
    let masked = Redactor.standard.maskedText(body)
    #expect(!masked.contains("s3cret"), "\(masked)")
    let failed = NetworkError(.decodingFailed, body: Data(body.utf8))
    #expect(!failed.description.contains("s3cret"))
  }

  // MARK: - SOAP requests

  @Test func eachVersionHasItsTypeActionAndNamespace() throws {
    for (version, type, action) in [
      (SOAPEnvelope.Version.soap11, "text/xml; charset=utf-8", "\"urn:shop#buy\""),
      (.soap12, "application/soap+xml; charset=utf-8; action=\"urn:shop#buy\"", nil),
    ] {
      let header = Self.shop(
        "Session", [XML.Name("mustUnderstand", in: version.namespace): 1]
      ) { "x" }
      let envelope = SOAPEnvelope(version, header: [header]) { Self.shop("Buy") }
      let request: Request = try .soap(envelope, to: "shop", action: "urn:shop#buy")
      let built = try RequestBuilder(baseURL: BaseURL(host: "a.example")).build(request)
      #expect(built.method == .post)
      #expect(built.headers["Content-Type"] == type)
      #expect(built.headers["SOAPAction"] == action)
      #expect(built.headers["Accept"] == version.mediaType)
      #expect(
        try envelope.xml.text() == """
          <soap:Envelope xmlns:soap="\(version.rawValue)"><soap:Header>\
          <s:Session xmlns:s="urn:shop" soap:mustUnderstand="1">x</s:Session></soap:Header>\
          <soap:Body><s:Buy xmlns:s="urn:shop"/></soap:Body></soap:Envelope>
          """)
      let read = try SOAPEnvelope(XML.Document(parsing: envelope.xml.text()))
      #expect(read.version == version)
      #expect(read.header == envelope.header)
      #expect(read.body == envelope.body)
    }
  }

  @Test func aMissingActionIsEmptyInSOAP11() throws {
    let old: Request = try .soap(SOAPEnvelope(.soap11) {}, to: "shop")
    let new: Request = try .soap(SOAPEnvelope(.soap12) {}, to: "shop", headers: ["X-A": "1"])
    #expect(old.headers["SOAPAction"] == "\"\"")
    #expect(new.headers["SOAPAction"] == nil)
    #expect(new.headers["X-A"] == "1")
  }

  @Test(arguments: ["a\"b", "a\r\nX: y", "é", "a\\b"])
  func anActionThatIsNotAURIIsRefused(_ action: String) {
    let error = #expect(throws: NetworkError.self) {
      let _: Request = try .soap(SOAPEnvelope(.soap12) {}, to: "shop", action: action)
    }
    #expect(error?.code == .encodingFailed)
  }

  // MARK: - SOAP responses

  @Test func aFaultOfSOAP11HasItsParts() async {
    let promise = response(
      """
      <e:Envelope xmlns:e="\(Self.soap11)"><e:Body xmlns:c="urn:codes"><e:Fault>
      <faultcode>c:Client.Login</faultcode><faultstring> no "token=s3cret" </faultstring>
      <faultactor>urn:node</faultactor><detail><x><y>1</y></x><z/></detail>
      </e:Fault></e:Body></e:Envelope>
      """, status: 500)
    let failure = await error(promise.toSoap())
    let fault = failure?.soapFault
    #expect(failure?.code == .unacceptableStatus(500))
    #expect(failure.map { !$0.description.contains("s3cret") } == true)
    #expect(fault?.version == .soap11)
    #expect(fault?.code == XML.Name("Client.Login", in: XML.Namespace("urn:codes")))
    #expect(fault?.reason == "no \"token=s3cret\"")
    #expect(fault?.actor == "urn:node")
    #expect(fault?.detail.map(\.name.local) == ["x", "z"])
    #expect(fault?.isSenderFault == true)
    #expect(fault?.isReceiverFault == false)
    #expect(await error(promise.validateSoap())?.soapFault == fault)
  }

  @Test func aFaultOfSOAP12HasItsPartsWithAnyStatus() async {
    let failure = await error(
      response(
        """
        <Envelope xmlns="\(Self.soap12)"><Body><Fault><Code><Value>Receiver</Value>
        <Subcode><Value xmlns:m="urn:m">m:Busy</Value><Subcode><Value>Deep</Value></Subcode></Subcode></Code>
        <Reason><Text xml:lang="en">busy</Text><Text xml:lang="de">belegt</Text></Reason>
        <Node>urn:n</Node><Role>urn:r</Role><Detail><x xmlns="">1</x></Detail></Fault></Body></Envelope>
        """
      ).toSoap())
    let fault = failure?.soapFault
    #expect(failure?.code == .decodingFailed)
    #expect(fault?.code == XML.Name("Receiver", in: XML.Namespace(Self.soap12)))
    #expect(
      fault?.subcodes == [
        XML.Name("Busy", in: XML.Namespace("urn:m")),
        XML.Name("Deep", in: XML.Namespace(Self.soap12)),
      ])
    #expect(fault?.reason == "busy")
    #expect(fault?.reasons == ["en": "busy", "de": "belegt"])
    #expect(fault?.actor == "urn:r")
    #expect(fault?.detail == [XML("x") { 1 }])
    #expect(fault?.isReceiverFault == true)
    #expect(fault?.description == "Receiver, Busy, Deep: busy")
  }

  @Test func aResponseThatIsNotSOAPIsAnError() async throws {
    let page = "<html><body>Bad gateway</body></html>"
    #expect(await error(response(page, status: 502).toSoap())?.code == .unacceptableStatus(502))
    #expect(await error(response(page).toSoap())?.code == .decodingFailed)
    #expect(await error(response("").toSoap())?.code == .noData)
    #expect(await error(response("", status: 500).validateSoap())?.code == .unacceptableStatus(500))
    #expect(
      await error(response("<Envelope xmlns='\(Self.soap11)'/>").toSoap())?.code == .decodingFailed)
    let empty = "<Envelope xmlns='\(Self.soap11)'><Body/></Envelope>"
    #expect(try await response(empty).toSoap().value.body == [])
    #expect(await error(response(empty, status: 500).toSoap())?.code == .unacceptableStatus(500))
    #expect(await error(response("", status: 202).validateSoap()) == nil)
  }

  @Test func aFaultDoesNotShowTheSecretsOfItsClient() async {
    let fault = """
      <e:Envelope xmlns:e="\(Self.soap11)"><e:Body><e:Fault><faultcode>e:Client</faultcode>
      <faultstring>no region=s3cret here</faultstring></e:Fault></e:Body></e:Envelope>
      """
    var configuration = NetworkingConfiguration()
    configuration.secretNames = ["region"]
    let networking = Networking<Request>(
      transport: MockTransport(routes: [Route(.post, "/shop", .text(fault, status: 500))]),
      configuration: configuration)
    networking.callbackContext = .inline
    let failure = await error(networking.request(.post("https://a.example/shop")).toSoap())
    #expect(failure?.reason?.contains("region=***") == true)
  }

  @Test func aClientCallsAMockedService() async throws {
    let backend = MockTransport {
      Route(.post, "/shop") { request in
        let envelope = try SOAPEnvelope(XML.Document(parsing: request.body))
        let count = envelope.body.first?["count"]?.int ?? 0
        let answer = SOAPEnvelope(envelope.version) {
          Self.shop("BuyResponse") { Self.shop("total") { count * 5 } }
        }
        return .data(
          try XML.Document(answer.xml).data(), contentType: envelope.version.mediaType)
      }
    }
    let networking = Networking<Request>(transport: backend)
    networking.callbackContext = .inline
    networking.baseURL = .of("https://a.example")
    for version in SOAPEnvelope.Version.allCases {
      let envelope = SOAPEnvelope(version) { Self.shop("Buy") { Self.shop("count") { 3 } } }
      let response = try await networking.request(
        try .soap(envelope, to: "shop", action: "buy")
      ).validate().toSoap().value
      #expect(response.body.first?["total"]?.int == 15)
    }
  }
}
