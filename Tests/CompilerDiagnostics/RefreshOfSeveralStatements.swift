// expect: generic parameter 'Ignored' could not be inferred
import Networking

func refresh(_ networking: Networking<Request>) -> RefreshInterceptor {
  RefreshInterceptor { [weak networking] _ in
    guard let networking else { return .rejected(CancellationError()) }
    return networking.request(.post("token", .notIntercepted)).validate().toJson()
  }
}

func refreshWithType(_ networking: Networking<Request>) -> RefreshInterceptor {
  RefreshInterceptor { [weak networking] _ -> Promise<JSON> in
    guard let networking else { return .rejected(CancellationError()) }
    return networking.request(.post("token", .notIntercepted)).validate().toJson()
  }
}
