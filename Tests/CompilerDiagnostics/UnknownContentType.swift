// expect: type 'ContentType?' has no member 'jsn'
import Networking

func send(_ networking: Networking<Request>) {
  networking.request(.post("boards", contentType: .jsn))
}
