/// An endpoint that says what comes back.
///
/// ```swift
/// struct GetProfile: TypedEndpoint {
///   typealias ResponseType = Profile
///   let id: Int
///   var request: Request { .get("profiles/\(id)") }
/// }
///
/// networking.fetch(GetProfile(id: 1)).done { profile in show(profile) }
/// ```
///
/// Without a base URL of its own it goes to that of the client that fetches it.
public protocol TypedEndpoint: RequestConvertible {
  /// What the body of a response is decoded as.
  associatedtype ResponseType: Decodable & Sendable
}
