// expect: 'toXML()' has been renamed to 'toXml(limits:file:line:)'
// expect: 'toSOAP()' has been renamed to 'toSoap(limits:file:line:)'
// expect: 'validateSOAP()' has been renamed to 'validateSoap(limits:file:line:)'
import Networking
import NetworkingXML

func load(_ networking: Networking<Request>) {
  _ = networking.request(.get("orders")).toXML()
  _ = networking.request(.get("orders")).toSOAP()
  _ = networking.request(.get("orders")).validateSOAP()
}
