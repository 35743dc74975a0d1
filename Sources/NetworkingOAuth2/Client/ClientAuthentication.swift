public import Networking

/// The additions of a client's authentication to a request.
public struct ClientAuthentication: Sendable {
  /// Header fields.
  public var headers: HTTPHeaders
  /// Parameters of the form.
  public var parameters: [String: String]

  /// Creates additions.
  ///
  /// - Parameters:
  ///   - headers: Header fields.
  ///   - parameters: Parameters of the form.
  public init(headers: HTTPHeaders = [:], parameters: [String: String] = [:]) {
    self.headers = headers
    self.parameters = parameters
  }
}

extension ClientAuthentication: BrieflyDescribed {
  /// The names of the header fields and of the parameters, without their values.
  public var description: String {
    let names = headers.map(\.name) + parameters.keys.sorted()
    return "ClientAuthentication(\(names.joined(separator: ", ")))"
  }
}
