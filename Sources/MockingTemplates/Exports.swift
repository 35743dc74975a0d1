// A program that uses templates also uses mocks, so one import is sufficient.
@_exported public import Mocking
