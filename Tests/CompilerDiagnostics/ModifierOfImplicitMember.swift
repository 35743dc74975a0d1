// expect: member 'timingOut(after:)' in 'ReportsAPI' produces result of type 'ModifiedEndpoint<ReportsAPI>', but context expects 'ReportsAPI'
// expect: member 'notIntercepted()' in 'ReportsAPI' produces result of type 'ModifiedEndpoint<ReportsAPI>', but context expects 'ReportsAPI'
import Networking

enum ReportsAPI: RequestConvertible {
  case reports
  case report(id: Int)
  var request: Request { .get("reports") }
}

func report(_ networking: Networking<ReportsAPI>) -> NetworkPromise {
  networking.request(.report(id: 7).timingOut(after: .seconds(90)))
}

func reports(_ networking: Networking<ReportsAPI>) -> NetworkPromise {
  networking.request(.reports.notIntercepted())
}
