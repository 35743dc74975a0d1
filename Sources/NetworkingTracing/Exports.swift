// A program that uses this module also uses the client, so one import is sufficient.
@_exported public import Networking
