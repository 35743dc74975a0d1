// A program that uses mocks also uses the client and its promises, so one import is sufficient.
@_exported import Networking
@_exported import Promises
