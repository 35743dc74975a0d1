// expect: 'with' is unavailable: options of an endpoint are arguments of the call: request(.boards, .timeout(.seconds(90)))
// expect: 'request(_:_:completion:)' is unavailable: append .done { response in } and .fail { error in } to the request; progress is an option: .onProgress { progress in }
import Networking

enum ReportsAPI: RequestConvertible {
  case reports
  case report(id: Int)
  var request: Request { .get("reports") }
}

func report(_ networking: Networking<ReportsAPI>) -> NetworkPromise {
  networking.request(.report(id: 7).with(.timeout(.seconds(90))))
}

func reports(_ networking: Networking<ReportsAPI>) -> NetworkPromise {
  networking.request(.reports) { result in print(result) }
}
