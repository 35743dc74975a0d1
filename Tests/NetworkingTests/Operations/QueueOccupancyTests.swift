import Testing

@testable import Networking

struct QueueOccupancyTests {
  @Test func anEmptyQueueIsIdle() {
    #expect(!QueueOccupancy(width: 1).isBusy)
  }

  @Test func itIsBusyFromJoiningUntilWhatStartsHasBegun() {
    var queue = QueueOccupancy(width: 1)
    queue.add()
    #expect(queue.isBusy)
    queue.start()
    #expect(queue.isBusy)
    queue.begin()
    #expect(!queue.isBusy)
    queue.finish()
    #expect(!queue.isBusy)
  }

  @Test func whoWaitsForAPlaceIsIdleUntilOneIsFree() {
    var queue = QueueOccupancy(width: 1)
    queue.add()
    queue.add()
    queue.start()
    queue.begin()
    #expect(!queue.isBusy)
    queue.finish()
    #expect(queue.isBusy)
  }

  @Test func anOperationThatFinishesWhileItStartsKeepsItBusyUntilItHasBegun() {
    var queue = QueueOccupancy(width: 1)
    queue.add()
    queue.start()
    queue.finish()
    #expect(queue.isBusy)
    queue.begin()
    #expect(!queue.isBusy)
  }

  @Test func whoWaitsInASuspendedQueueIsIdle() {
    var queue = QueueOccupancy(width: 2)
    queue.isSuspended = true
    queue.add()
    #expect(!queue.isBusy)
    queue.isSuspended = false
    #expect(queue.isBusy)
  }
}
