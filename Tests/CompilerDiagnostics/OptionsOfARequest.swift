// expect: 'with' is unavailable: options are arguments: request(.boards, .retry(.never))
// expect: 'request' is unavailable: append .done { response in }; progress: .onProgress { }
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
