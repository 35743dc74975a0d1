// Bodies of XML are bodies of requests and responses, so a file that imports this module has both.
@_exported import Networking
