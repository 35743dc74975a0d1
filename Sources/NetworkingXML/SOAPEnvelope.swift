import Foundation
import Networking

/// A SOAP message: header blocks and a body.
///
/// ```swift
/// let weather = XML.Namespace("urn:example:weather", prefix: "w")
/// let envelope = SOAPEnvelope(.soap12) {
///   weather("GetForecast") { weather("city") { "Oslo" } }
/// }
/// networking.request(try .soap(envelope, to: "weather", action: "urn:example:weather#forecast"))
///   .toSoap()
///   .done { response in print(response.body.first?["high"]?.int ?? 0) }
/// ```
///
/// Source: Simple Object Access Protocol (SOAP) 1.1; SOAP Version 1.2 Part 1, section 5.
public struct SOAPEnvelope: Sendable, Hashable {
  /// The version of SOAP, which selects the namespace, the media type and the field of the action.
  public enum Version: String, Sendable, Hashable, CaseIterable {
    /// SOAP 1.1, with the media type `text/xml` and the header field `SOAPAction`.
    case soap11 = "http://schemas.xmlsoap.org/soap/envelope/"
    /// SOAP 1.2, with the media type `application/soap+xml` and its parameter `action`.
    case soap12 = "http://www.w3.org/2003/05/soap-envelope"

    /// The namespace of the envelope, with the prefix `soap`.
    public var namespace: XML.Namespace { XML.Namespace(rawValue, prefix: "soap") }

    /// The media type of messages, without parameters.
    public var mediaType: String { self == .soap11 ? "text/xml" : "application/soap+xml" }
  }

  /// The version.
  public var version: Version
  /// The header blocks.
  ///
  /// The attributes `mustUnderstand` and `role` (`actor` in SOAP 1.1) are in the namespace of
  /// ``Version/namespace``. The client does not process received header blocks.
  public var header: [XML]
  /// The elements of the body.
  public var body: [XML]
  /// The namespaces that the envelope declares, for prefixes that occur only in text, such as
  /// `xsd:int`.
  public var namespaces: [XML.Namespace]

  /// Creates a message.
  ///
  /// - Parameters:
  ///   - version: The version.
  ///   - header: The header blocks.
  ///   - namespaces: The namespaces that the envelope declares.
  ///   - body: The elements of the body. Nodes that are not elements are left out.
  public init(
    _ version: Version, header: [XML] = [], namespaces: [XML.Namespace] = [],
    @XML.Builder body: () -> [XML.Node]
  ) {
    self.version = version
    self.header = header
    self.namespaces = namespaces
    self.body = body().compactMap(\.element)
  }

  /// The message as an element.
  public var xml: XML {
    let soap = version.namespace
    var envelope = soap("Envelope") {
      if !header.isEmpty { soap("Header") { header } }
      soap("Body") { body }
    }
    envelope.namespaces = [soap] + namespaces.filter { $0.prefix != soap.prefix }
    return envelope
  }

  /// Reads a message.
  ///
  /// - Parameter document: The document, whose root must be an envelope of SOAP 1.1 or 1.2.
  /// - Throws: ``XMLError`` with the code `notWellFormed` if it is not.
  public init(_ document: XML.Document) throws(XMLError) {
    let root = document.root
    guard root.name.local == "Envelope",
      let version = root.name.namespace.flatMap({ Version(rawValue: $0.uri) })
    else {
      throw XMLError(.notWellFormed, "the root is not an envelope of SOAP 1.1 or 1.2")
    }
    guard let body = root[.name("Body", in: version.namespace)] else {
      throw XMLError(.notWellFormed, "the SOAP envelope has no body")
    }
    self.version = version
    self.header = root[.name("Header", in: version.namespace)]?.elements ?? []
    self.body = body.elements
    // The declarations of the envelope and the body apply to the texts in the body.
    let inner = Set(body.namespaces.map(\.prefix))
    self.namespaces = root.namespaces.filter { !inner.contains($0.prefix) } + body.namespaces
  }

  /// The fault in the body, or `nil` if there is none.
  public var fault: SOAPFault? {
    body.first { $0.isNamed("Fault", version.namespace) }.map { SOAPFault($0, in: self) }
  }
}
