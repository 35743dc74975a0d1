import Networking
import Testing

struct RetryableRequestTests {
  private enum API: RetryableRequest {
    case plain
    case careful

    var request: Request { .get("x") }
    var retryPolicy: RetryPolicy? {
      switch self {
      case .plain: nil
      case .careful: .immediate(limit: 7)
      }
    }
  }

  @Test func aRequestsOwnPolicyWinsOverItsEndpoints() {
    #expect(API.plain.retryPolicy == nil)
    #expect(API.careful.retryPolicy?.limit == 7)
    #expect(API.careful.retrying(.never).retryPolicy?.limit == 0)
    #expect(API.careful.notIntercepted().retryPolicy?.limit == 7)
    #expect(API.careful.retrying(.never).notIntercepted().retryPolicy?.limit == 0)
    #expect(Request.get("x").retrying(.immediate(limit: 2)).retryPolicy?.limit == 2)
    #expect(Request.get("x").modified { $0 }.retryPolicy == nil)
  }
}
