// expect 3: 'append(_:at:)' is unavailable: import NetworkingInterceptors, and pass RequestAdapter { request in … } or ResponseInterceptor { result, request in … }
import Networking

func sign(_ networking: Networking<Request>) {
  networking.interceptors.append { request in
    var request = request
    request.headers["X-Signature"] = "s"
    return request
  }
  networking.interceptors.append({ request in request }, at: .hop)
  networking.interceptors.append { request in request.headers["X-Signature"] = "s" }
}
