import CatenaSystem
import Foundation
import Mocking
import Networking
import Promises

/// The routes of a mock authorization server, and its state.
final class AuthorizationServerCore: Sendable {
  let scheduler: any Scheduler
  let state: Mutex<AuthorizationServerState>
  private let issuer: String

  init(_ settings: AuthorizationServerSettings, issuer: String, _ scheduler: any Scheduler) {
    self.scheduler = scheduler
    self.issuer = issuer
    state = Mutex(AuthorizationServerState(settings, issuer: issuer))
  }

  var routes: [Route] {
    [
      Route(.get, "/.well-known/oauth-authorization-server") { _ in .json(self.metadata) },
      Route(.get, "/authorize") { request in self.authorize(request) },
      Route(.post, "/token") { request in self.token(request) },
      Route(.post, "/device_authorization") { request in
        self.responding(to: request) { state, client, now in
          let form = request.form
          let user = state.settings.consentingUser
          let grant = state.newGrant(client: client, user: user, scope: form["scope"] ?? "")
          return state.newDevice(grant, at: now)
        }
      },
      Route(.get, "/device") { request in
        let isKnown = self.state.withLock {
          $0.decide(userCode: request.query["user_code"] ?? "", isApproved: true)
        }
        return .text(isKnown ? "The device is signed in." : "The code is not known.")
      },
      Route(.post, "/revoke") { request in
        self.responding(to: request) { state, _, _ in
          state.revoke(request.form["token"] ?? "")
          return [:]
        }
      },
      Route(.post, "/introspect") { request in
        self.responding(to: request) { state, _, now in
          state.introspect(request.form["token"] ?? "", at: now)
        }
      },
    ]
  }

  private var metadata: JSON {
    [
      "issuer": .string(issuer), "authorization_endpoint": .string("\(issuer)/authorize"),
      "token_endpoint": .string("\(issuer)/token"),
      "device_authorization_endpoint": .string("\(issuer)/device_authorization"),
      "revocation_endpoint": .string("\(issuer)/revoke"),
      "introspection_endpoint": .string("\(issuer)/introspect"),
      "authorization_response_iss_parameter_supported": true,
      "code_challenge_methods_supported": ["S256"],
    ]
  }

  // MARK: The authorization endpoint

  private func authorize(_ request: ReceivedRequest) -> Mock {
    let query = request.query
    guard let client = query["client_id"], let redirectURL = query["redirect_uri"],
      let target = URL(reference: redirectURL),
      var url = URLComponents(url: target, resolvingAgainstBaseURL: true)
    else { return .text("The request has no client or no redirect URL.", status: 400) }
    let now = scheduler.now
    var parameters = state.withLock { state -> [String: String] in
      guard state.settings.clients.keys.contains(client) else {
        return ["error": "unauthorized_client"]
      }
      guard query["response_type"] == "code" else { return ["error": "unsupported_response_type"] }
      guard query["code_challenge"] != nil, query["code_challenge_method"] == "S256" else {
        return ["error": "invalid_request", "error_description": "a proof key is required"]
      }
      guard state.settings.consents else { return ["error": "access_denied"] }
      let grant = state.newGrant(
        client: client, user: state.settings.consentingUser, scope: query["scope"] ?? "")
      let code = AuthorizationServerState.Code(
        grant: grant, redirectURL: redirectURL, challenge: query["code_challenge"],
        nonce: query["nonce"])
      return ["code": state.newCode(code, at: now)]
    }
    parameters["state"] = query["state"]
    parameters["iss"] = issuer
    url.percentEncodedQueryItems =
      (url.percentEncodedQueryItems ?? [])
      + parameters.sorted { $0.key < $1.key }.map { name, value in
        URLQueryItem(
          name: name, value: value.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
      }
    return .redirect(to: url.string ?? redirectURL)
  }

  // MARK: The token endpoint

  private func token(_ request: ReceivedRequest) -> Mock {
    let fault = state.withLock { state in
      state.faults.isEmpty ? nil : state.faults.removeFirst()
    }
    switch fault {
    case nil: return issue(request)
    case .error(let code): return .json(["error": .string(code)], status: 400)
    case .status(let status): return .text("", status: status)
    case .noResponse: return .failure(.connectionLost)
    case .lostResponse:
      _ = issue(request)
      return .failure(.connectionLost)
    case .delay(let duration): return issue(request).delayed(by: duration)
    case .response(let mock): return mock
    }
  }

  private func issue(_ request: ReceivedRequest) -> Mock {
    let form = request.form
    let type = form["grant_type"] ?? ""
    return responding(to: request) { state, client, now in
      let response = try Self.issue(&state, form, type, client, now)
      state.counts.issued[type, default: 0] += 1
      return response
    }
  }

  private static func issue(
    _ state: inout AuthorizationServerState, _ form: RequestQuery, _ type: String, _ client: String,
    _ now: Duration
  ) throws -> [String: JSON] {
    let scope = form["scope"] ?? ""
    let refreshes = state.settings.issuesRefreshTokens
    switch type {
    case "password":
      guard let name = form["username"], let password = state.settings.users[name],
        password == form["password"]
      else { throw AuthorizationServerState.Refusal(code: "invalid_grant") }
      let grant = state.newGrant(client: client, user: name, scope: scope)
      return state.issue(grant, at: now, refreshing: refreshes)
    case "client_credentials":
      guard state.settings.clients[client]?.secret != nil else {
        throw AuthorizationServerState.Refusal(code: "unauthorized_client")
      }
      let grant = state.newGrant(client: client, user: nil, scope: scope)
      return state.issue(grant, at: now, refreshing: false)
    case "authorization_code":
      return try state.use(
        code: form["code"] ?? "", verifier: form["code_verifier"],
        redirectURL: form["redirect_uri"], client: client, at: now)
    case "refresh_token":
      return try state.refresh(form["refresh_token"] ?? "", client: client, at: now)
    case "urn:ietf:params:oauth:grant-type:device_code":
      return try state.poll(device: form["device_code"] ?? "", at: now)
    case "urn:ietf:params:oauth:grant-type:token-exchange":
      guard let subject = form["subject_token"], state.isValid(subject, at: now) else {
        throw AuthorizationServerState.Refusal(code: "invalid_request")
      }
      let grant = state.newGrant(client: client, user: nil, scope: scope)
      var response = state.issue(grant, at: now, refreshing: false)
      response["issued_token_type"] = "urn:ietf:params:oauth:token-type:access_token"
      return response
    case "urn:mock:grant-type:voucher":
      guard form["voucher"] == "open-sesame" else {
        throw AuthorizationServerState.Refusal(code: "invalid_grant")
      }
      let grant = state.newGrant(client: client, user: nil, scope: scope)
      return state.issue(grant, at: now, refreshing: refreshes)
    default: throw AuthorizationServerState.Refusal(code: "unsupported_grant_type")
    }
  }

  /// Responds to a request of an authenticated client.
  private func responding(
    to request: ReceivedRequest,
    _ body: (inout AuthorizationServerState, _ client: String, _ now: Duration) throws -> [String:
      JSON]
  ) -> Mock {
    let now = scheduler.now
    do throws(AuthorizationServerState.Refusal) {
      let members = try state.withLock {
        state throws(AuthorizationServerState.Refusal) in
        do {
          return try body(&state, try Self.client(request, state.settings), now)
        } catch {
          state.counts.refused += 1
          throw error as? AuthorizationServerState.Refusal
            ?? AuthorizationServerState.Refusal(code: "server_error", status: 500)
        }
      }
      return .json(.dictionary(members)).header("Cache-Control", "no-store")
    } catch {
      return .json(["error": .string(error.code)], status: error.status)
    }
  }

  /// Returns the identifier of the client that has authenticated itself.
  private static func client(
    _ request: ReceivedRequest, _ settings: AuthorizationServerSettings
  ) throws -> String {
    var (id, secret) = (request.form["client_id"], request.form["client_secret"])
    if let value = request.headers["Authorization"], value.hasPrefix("Basic "),
      let data = Data(base64Encoded: String(value.dropFirst("Basic ".count)))
    {
      let parts = String(decoding: data, as: UTF8.self).split(
        separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let decoded = parts.map { String($0).removingPercentEncoding ?? "" }
      (id, secret) = (decoded.first, decoded.last)
    }
    guard let id, let known = settings.clients[id], known.secret == secret else {
      throw AuthorizationServerState.Refusal(code: "invalid_client", status: 401)
    }
    return id
  }
}
