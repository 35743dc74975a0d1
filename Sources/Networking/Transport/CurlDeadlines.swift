#if os(Linux)
  /// When to look next whether a handle's connection has been silent for too long.
  ///
  /// A binary heap, in which each handle knows its place, so that it can be taken out. A handle is moved
  /// when its time has come and not at every sign of life: there are far more of those.
  struct CurlDeadlines {
    private var heap: [(due: UInt64, handle: CurlHandle)] = []

    var nextDue: UInt64? { heap.first?.due }

    mutating func insert(_ handle: CurlHandle, due: UInt64) {
      heap.append((due, handle))
      handle.placeInDeadlines = heap.count - 1
      siftUp(from: heap.count - 1)
    }

    mutating func remove(_ handle: CurlHandle) {
      guard let place = handle.placeInDeadlines else { return }
      handle.placeInDeadlines = nil
      let last = heap.removeLast()
      guard place < heap.count else { return }
      heap[place] = last
      last.handle.placeInDeadlines = place
      siftUp(from: place)
      siftDown(from: place)
    }

    /// Takes out the first handle, if it is due by `limit`.
    mutating func pop(dueBy limit: UInt64) -> CurlHandle? {
      guard let first = heap.first, first.due <= limit else { return nil }
      remove(first.handle)
      return first.handle
    }

    private mutating func siftUp(from start: Int) {
      var child = start
      while child > 0 {
        let parent = (child - 1) / 2
        guard heap[child].due < heap[parent].due else { return }
        exchange(child, parent)
        child = parent
      }
    }

    private mutating func siftDown(from start: Int) {
      var parent = start
      while true {
        var least = parent
        for child in [2 * parent + 1, 2 * parent + 2]
        where child < heap.count && heap[child].due < heap[least].due {
          least = child
        }
        guard least != parent else { return }
        exchange(parent, least)
        parent = least
      }
    }

    private mutating func exchange(_ left: Int, _ right: Int) {
      heap.swapAt(left, right)
      heap[left].handle.placeInDeadlines = left
      heap[right].handle.placeInDeadlines = right
    }
  }
#endif
