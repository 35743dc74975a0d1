import Networking

/// An operation of an OpenAPI document: a method of a path.
struct ContractOperation: Sendable {
  let method: HTTPMethod
  /// The path, such as `/pets/{id}`.
  let path: String
  /// The paths of its servers, without a slash at the end.
  let basePaths: [String]
  let id: String?
  let summary: String?
  let place: SchemaPlace
  let parameters: [ContractParameter]
  let body: ContractBody?
  /// The responses in the order of the document.
  let responses: [ContractResponse]
  /// The alternatives of security schemes, one of which a request must satisfy.
  ///
  /// Empty if the operation needs none.
  let security: [[ContractSecurity]]

  /// The responses for a status: those for the status itself come first, then its class, then the
  /// default.
  func response(for status: Int) -> ContractResponse? {
    responses.first { $0.code == .status(status) }
      ?? responses.first { $0.code == .class(status / 100) }
      ?? responses.first { $0.code == .default }
  }
}

/// A parameter of an operation.
struct ContractParameter: Sendable {
  enum Location: String, Sendable, CaseIterable {
    case path, query, header, cookie
  }

  /// A serialization of a value.
  ///
  /// Source: OpenAPI 3.1.1, Style Values.
  enum Style: String, Sendable {
    case simple, label, matrix, form, spaceDelimited, pipeDelimited, deepObject
  }

  var name: String
  let location: Location
  let isRequired: Bool
  let style: Style
  let explodes: Bool
  let schema: Int?
  /// The media type of the value.
  ///
  /// `nil` for a parameter with a style.
  var content: String?
  var allowsEmpty = false
}

/// The body of a request.
struct ContractBody: Sendable {
  let isRequired: Bool
  let content: [ContractMedia]
}

/// A media type of a body.
struct ContractMedia: Sendable {
  /// The media type or range as the document has it.
  let text: String
  let type: MediaType
  let schema: Int?
  /// The examples in the order of the document.
  var examples: [(name: String, value: JSON)] = []

  var isJSON: Bool { type.subtype == "json" || type.subtype.hasSuffix("+json") }
}

/// A response of an operation.
struct ContractResponse: Sendable {
  enum Code: Sendable, Hashable, CustomStringConvertible {
    case status(Int)
    /// All statuses with this first digit.
    case `class`(Int)
    case `default`

    /// The code as the document has it, such as `200` or `4XX`.
    var description: String {
      switch self {
      case .status(let status): "\(status)"
      case .class(let digit): "\(digit)XX"
      case .default: "default"
      }
    }
  }

  let code: Code
  let content: [ContractMedia]
  let headers: [ContractHeader]
}

/// A header field of a response.
struct ContractHeader: Sendable {
  let name: String
  let isRequired: Bool
  let schema: Int?
  let example: JSON?
}

/// A security scheme that an operation needs.
struct ContractSecurity: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case apiKey(ContractParameter.Location, name: String)
    /// A scheme of the field `Authorization`, in lower case.
    case http(String)
    /// A scheme that a request does not show, such as a client certificate.
    case other
  }

  let name: String
  let kind: Kind
}
