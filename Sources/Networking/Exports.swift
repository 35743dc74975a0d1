// A client answers with promises, so who imports it has them.
@_exported public import Promises
