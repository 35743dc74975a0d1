import Foundation
public import Networking

/// A fault: the error that a SOAP server returns in place of a result.
///
/// Source: Simple Object Access Protocol (SOAP) 1.1, section 4.4; SOAP Version 1.2 Part 1,
/// section 5.4.
public struct SOAPFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The version of the envelope.
  public var version: SOAPEnvelope.Version
  /// The code, such as `Client` and `Server` in SOAP 1.1, or `Sender` and `Receiver` in SOAP 1.2.
  ///
  /// The namespace is that of the prefix in the text, or `nil` if there is none.
  public var code: XML.Name
  /// The more specific codes of SOAP 1.2, from the outermost.
  ///
  /// Empty in SOAP 1.1.
  public var subcodes: [XML.Name]
  /// The explanation for a reader, in the first language.
  public var reason: String
  /// The explanations of SOAP 1.2 by language, such as `en`.
  public var reasons: [String: String]
  /// The URI of the node that failed: `faultactor` in SOAP 1.1, `Role` or `Node` in SOAP 1.2.
  public var actor: String?
  /// The elements of the detail, which the service defines.
  public var detail: [XML]

  /// Whether the message was at fault, so that it must be changed before it is sent again.
  public var isSenderFault: Bool { ["Client", "Sender"].contains(primaryCode) }

  /// Whether the server was at fault, so that the same message may succeed later.
  public var isReceiverFault: Bool { ["Server", "Receiver"].contains(primaryCode) }

  /// The code without the extension of a code of SOAP 1.1, such as `Client` of `Client.Login`.
  private var primaryCode: String {
    code.local.prefix { $0 != "." }.description
  }

  /// The codes and the reason, such as `Client.Login: the account is locked`.
  public var description: String {
    ([code] + subcodes).map(\.local).joined(separator: ", ") + ": " + reason
  }

  /// Reads a fault.
  ///
  /// - Parameters:
  ///   - fault: The element `Fault`.
  ///   - envelope: The envelope, whose namespaces apply to the codes.
  init(_ fault: XML, in envelope: SOAPEnvelope) {
    let outer = envelope.namespaces + fault.namespaces
    func text(_ element: XML?) -> String {
      (element?.string ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    }
    func name(_ element: XML?, _ outer: [XML.Namespace]) -> XML.Name {
      Self.name(text(element), in: outer + (element?.namespaces ?? []))
    }
    version = envelope.version
    guard version == .soap12 else {
      code = name(fault["faultcode"], outer)
      subcodes = []
      reason = text(fault["faultstring"])
      reasons = [:]
      actor = fault["faultactor"].map(text)
      detail = fault["detail"]?.elements ?? []
      return
    }
    var scope = outer + (fault["Code"]?.namespaces ?? [])
    code = name(fault["Code", "Value"], scope)
    subcodes = []
    var subcode = fault["Code", "Subcode"]
    while let current = subcode {
      scope += current.namespaces
      subcodes.append(name(current["Value"], scope))
      subcode = current["Subcode"]
    }
    let texts = fault["Reason"]?.elements("Text") ?? []
    reason = text(texts.first)
    reasons = Dictionary(
      texts.map { ($0[attribute: XML.Name("lang", in: .xml)] ?? "", text($0)) }
    ) { first, _ in first }
    actor = (fault["Role"] ?? fault["Node"]).map(text)
    detail = fault["Detail"]?.elements ?? []
  }

  /// Returns the name of a text with a prefix.
  ///
  /// The last declaration of a prefix applies.
  private static func name(_ text: String, in scope: [XML.Namespace]) -> XML.Name {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let prefix = parts.count == 2 ? String(parts[0]) : ""
    let namespace = scope.last { $0.prefix == prefix && !$0.uri.isEmpty }
    return XML.Name(parts.last.map(String.init) ?? "", in: namespace)
  }
}

extension NetworkError {
  /// The SOAP fault of the response, or `nil` if the failure is not a fault.
  public var soapFault: SOAPFault? { underlying as? SOAPFault }
}

// MARK: - Responses

/// A validator that rejects SOAP faults, and other responses without a success status.
struct SOAPValidator: ResponseValidating {
  private let serializer: SOAPSerializer

  /// Creates a validator.
  ///
  /// - Parameter limits: The limits for the document.
  init(limits: XML.Limits = .standard) {
    serializer = SOAPSerializer(limits: limits)
  }

  /// Validates a response.
  ///
  /// - Parameter response: The response.
  /// - Throws: `NetworkError` as for ``SOAPSerializer/serialize(_:)``. A success without a body is
  ///   accepted, as a message without a response has it.
  func validate(_ response: Response) throws {
    if 200..<300 ~= response.status, response.hasNoBody { return }
    _ = try serializer.serialize(response)
  }
}

extension Promise where Value == Response {
  /// Rejects SOAP faults, and other responses without a success status.
  ///
  /// It replaces `validate()`, which would reject a fault by its status before the fault is read.
  ///
  /// - Parameters:
  ///   - limits: The limits for the document.
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the same response. It is rejected with a `NetworkError`, whose
  ///   `soapFault` has the code, the reason and the detail of a fault.
  public func validateSoap(
    limits: XML.Limits = .standard, file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    validate(using: SOAPValidator(limits: limits), file: file, line: line)
  }

  /// Reads the body as a SOAP message.
  ///
  /// A fault rejects the promise, whatever the status is, so that `validate()` is not needed.
  ///
  /// - Parameters:
  ///   - limits: The limits for the document.
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the message. It is rejected with a `NetworkError`, whose `soapFault`
  ///   has the code, the reason and the detail of a fault.
  public func toSoap(
    limits: XML.Limits = .standard, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<SOAPEnvelope> {
    serialize(using: SOAPSerializer(limits: limits), file: file, line: line)
  }

  /// Unavailable, because it has another name.
  @available(*, unavailable, renamed: "validateSoap(limits:file:line:)")
  public func validateSOAP() -> NetworkPromise { validateSoap() }

  /// Unavailable, because it has another name.
  @available(*, unavailable, renamed: "toSoap(limits:file:line:)")
  public func toSOAP() -> Promise<SOAPEnvelope> { toSoap() }
}
