import Networking
import TestSupport

#if os(Linux)
  extension ScriptedServer {
    /// Where it is, for a client without a base URL.
    var path: RequestPath { RequestPath(raw: url().absoluteString) }
  }
#endif

extension NetworkingConfiguration {
  /// Without cookies, and with what suits a client that calls back inline.
  static var plain: NetworkingConfiguration {
    var plain = NetworkingConfiguration()
    plain.cookies = .none
    // However long the machine is busy with other tests.
    plain.idleTimeout = nil
    return plain
  }
}
