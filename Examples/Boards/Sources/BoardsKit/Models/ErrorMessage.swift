import Networking
import NetworkingOAuth2

extension Error {
  /// A sentence for the user; the description of an error is for developers.
  var message: String {
    switch self {
    case let error as NetworkError where error.code.isNetworkUnavailable: "You are offline."
    case let error as NetworkError where (500...599).contains(error.response?.status ?? 0):
      "The server has a problem. Try again later."
    case let error as OAuth2Error where error.code == .signInRequired || error.isInvalidGrant:
      "Sign in again."
    default: "Something went wrong."
    }
  }
}
