import Foundation
import Networking
import Promises

/// The server of the plan, and the folder of the tester's app.
public struct Device: Sendable {
  /// The name of the app group.
  public static let group = "group.com.example.catena.device"

  /// The values that the server sends at `/setup`.
  private struct Setup: Decodable {
    var authority: String
    var pin: String
    var identity: Data
    var photos: [String]
  }

  /// A failed step.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let host: String
  let authority: TLSSource
  let pin: PublicKeyPin
  let identity: Data
  let photos: [String]

  /// Reads the settings of the server.
  ///
  /// - Parameter host: The address of the server.
  /// - Throws: The error of the request.
  public init(host: String) async throws {
    let setup = try await Self.client("http://\(host):8080/", .ephemeral).request(.get("setup"))
      .validate().decode(Setup.self).value
    self.host = host
    authority = .data(Data(setup.authority.utf8))
    pin = PublicKeyPin(setup.pin)
    identity = setup.identity
    photos = setup.photos
  }

  /// The folder that an app and its extensions share, or a folder of the program.
  static var sharedFolder: URL {
    #if canImport(Darwin)
      let shared = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)
      if let shared { return shared }
    #endif
    return FileManager.default.temporaryDirectory
  }

  /// The documents of the app.
  static var documents: URL {
    FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
  }

  var plainURL: String { "http://\(host):8080/" }
  var secureURL: String { "https://\(host):8443/" }

  static func client(
    _ url: String, _ session: SessionConfiguration, idleTimeout: Duration = .seconds(60)
  ) -> Networking<Request> {
    var configuration = NetworkingConfiguration()
    configuration.idleTimeout = idleTimeout
    configuration.retry = .never
    return Networking(
      baseURL: URL(string: url), sessionConfiguration: session, configuration: configuration)
  }

  /// A client with a policy for the server's certificate.
  func client(_ policy: ServerTrust.Policy) throws -> Networking<Request> {
    Self.client(secureURL, try .ephemeral.trusting(.all(policy)))
  }

  /// Returns the status of a response, or the code of the error.
  static func outcome(of promise: NetworkPromise) async -> String {
    switch await promise.result {
    case .success(let response): "\(response.status)"
    case .failure(let error): "\((error as? NetworkError).map { "\($0.code)" } ?? "\(error)")"
    }
  }

  static func require(_ condition: Bool, _ description: String) throws {
    if !condition { throw Failure(description: description) }
  }
}
