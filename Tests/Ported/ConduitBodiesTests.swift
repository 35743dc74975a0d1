import Foundation
import Mocking
import Networking
import NetworkingValues
import NetworkingXML
import TestGate
import Testing

/// Bodies of requests and responses: forms, XML and SOAP.
@Suite(.gated)
struct ConduitBodiesTests {
  private let server: MockServer
  private let sessionClient: Networking<Request>

  init() throws {
    server = try MockServer {
      Route(.post, "/kittens", .status(201))
      Route(.post, "/xml") { request in
        .data(request.body, contentType: "application/xml")
      }
      Route(.post, "/soap") { _ in
        let kitten = XML("kitten") { "Jingles" }
        return .data(
          try XML.Document(SOAPEnvelope(.soap11) { kitten }.xml).data(), contentType: "text/xml")
      }
      Route(.get, "/form") { _ in
        .data(
          Data("name=Mr+Jingles&tag=fuzzy&tag=a%26b&empty=".utf8),
          contentType: "application/x-www-form-urlencoded")
      }
    }
    sessionClient = Networking(baseURL: server.url, sessionConfiguration: .ephemeral)
  }

  @Test("C5: a multipart form with an image, a PDF and a video")
  func multipart() async throws {
    let kittenImage = Data("jpeg".utf8)
    let pedigreePDFData = Data("pdf".utf8)
    let catVideoData = Data("mov".utf8)
    // sample C5
    var form = MultipartFormData()
    form.append(kittenImage, name: "kitten", filename: "mr-jingles.jpg")
    form.append(pedigreePDFData, name: "pedigree", filename: "pedigree.pdf")
    form.append(catVideoData, name: "cat-video", filename: "cats.mov")
    let request = Request.upload(multipart: form, to: "kittens")
    // end
    _ = try await sessionClient.request(request).validate().value
    let parts = server.receivedRequests[0].parts
    #expect(parts.map(\.name) == ["kitten", "pedigree", "cat-video"])
    #expect(parts.map(\.fileName) == ["mr-jingles.jpg", "pedigree.pdf", "cats.mov"])
    #expect(parts.map(\.contentType) == ["image/jpeg", "application/pdf", "video/quicktime"])
    #expect(parts.map(\.body) == [kittenImage, pedigreePDFData, catVideoData])
  }

  @Test("C6: a body of XML, and a response of XML as a tree")
  func xml() async throws {
    // sample C6
    let body = XML("give") { XML("cats", ["count": 3]) }
    let request = try Request.send(xml: body, to: "xml")
    let tree = try await sessionClient.request(request).validate().toXml().value
    // end
    #expect(tree["give", "cats"]?[attribute: "count"] == "3")
    #expect(server.receivedRequests[0].headers["Content-Type"] == "application/xml")
  }

  @Test("C6a: a body of XML from a string")
  func xmlFromAString() async throws {
    // sample C6a
    let requestBodyXMLString = "<give><cats>3</cats></give>"
    let body = try XML.Document(parsing: requestBodyXMLString).root
    let request = try Request.send(xml: body, to: "xml")
    // end
    let tree = try await sessionClient.request(request).validate().toXml().value
    #expect(tree["give", "cats"]?.int == 3)
  }

  @Test("C6b: a SOAP message and its response")
  func soap() async throws {
    // sample C6b
    let message = SOAPEnvelope(.soap11) { XML("GetKitten") { XML("id") { 7 } } }
    let request = try Request.soap(message, to: "soap", action: "urn:kittens#get")
    let response = try await sessionClient.request(request).toSoap().value
    // end
    #expect(response.body.first?.string == "Jingles")
    #expect(server.receivedRequests[0].headers["SOAPAction"] == "\"urn:kittens#get\"")
    #expect(try XML.Document(parsing: server.receivedRequests[0].body).first("id")?.int == 7)
  }

  @Test("C6c: a URL-encoded response")
  func form() async throws {
    // sample C6c
    let form = try await sessionClient.request(.get("form")).validate().toForm().value
    // end
    #expect(form["name"].string == "Mr Jingles")
    #expect(form["tag"] == ["fuzzy", "a&b"])
    #expect(form["empty"].string == "")
  }
}
