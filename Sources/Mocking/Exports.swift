// Stubs, servers and virtual time are for a client, so who imports them has that and its promises.
@_exported import Networking
@_exported import Promises
