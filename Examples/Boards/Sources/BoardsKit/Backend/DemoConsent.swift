import Foundation
import Mocking
import Networking
import NetworkingOAuth2

/// A consent without a page: the authorization server of the demo redirects at once.
struct DemoConsent: ConsentStrategy {
  let transport: MockTransport

  func consent(to request: ConsentRequest) async throws -> ConsentResponse {
    guard let redirectURL = request.redirectURL else { throw OAuth2Error(.consentUnavailable) }
    var configuration = NetworkingConfiguration()
    configuration.redirects = .refuse
    let browser = Networking<Request>(transport: transport, configuration: configuration)
    let page = request.pageURL(redirectingTo: redirectURL)
    let response = try await browser.request(.get(.url(page))).value
    guard let url = response.headers["Location"].flatMap({ URL(string: $0) }) else {
      throw OAuth2Error(.consentUnavailable)
    }
    return ConsentResponse(url, redirectURL: redirectURL)
  }
}
