import Networking

/// The request of Catena, because Hummingbird has a type `Request`, too.
typealias ClientRequest = Request
