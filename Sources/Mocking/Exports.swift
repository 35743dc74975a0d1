// A program that uses mocks also uses the client and its promises, so one import is sufficient.
@_exported public import Networking
@_exported public import Promises
