// A program that uses this module also uses mocks and the clients of the server, so one import is
// sufficient.
@_exported public import Mocking
@_exported public import NetworkingOAuth2
