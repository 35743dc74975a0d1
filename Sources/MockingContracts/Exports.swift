// A program that uses this module also uses mocks, so one import is sufficient.
@_exported public import Mocking
