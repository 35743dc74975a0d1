// A program that uses this module also uses promises, so one import is sufficient.
@_exported public import Promises
