// A client returns promises, so one import is sufficient.
@_exported public import Promises
