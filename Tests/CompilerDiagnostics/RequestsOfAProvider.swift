// expect: 'requests' has been renamed to 'receivedRequests'
// expect: 'reset()' has been replaced by 'journal.reset()'
import Mocking
import Networking

func check(_ provider: MockProvider<Request>) {
  print(provider.requests.count)
  provider.reset()
}
