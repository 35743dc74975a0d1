// All modules of the client, for a program that does not choose.
@_exported public import Networking
@_exported public import NetworkingInterceptors
@_exported public import NetworkingOAuth2
@_exported public import NetworkingStreams
@_exported public import NetworkingTracing
@_exported public import NetworkingTransfers
@_exported public import NetworkingValues
@_exported public import NetworkingXML
@_exported public import Promises
@_exported public import PromisesCombine
