/// Returns the shortest list for which a check still fails, found by removing elements.
///
/// Removes runs of elements, at first half of the list, and in the end single elements, until no
/// single element can be removed.
///
/// - Parameters:
///   - list: A list for which the check fails.
///   - isFailing: The check. It must have the same result for the same list.
/// - Returns: The shortened list.
package func shortened<Element>(
  _ list: [Element], while isFailing: ([Element]) async -> Bool
) async -> [Element] {
  var list = list
  var size = max(1, list.count / 2)
  while true {
    var start = 0
    var isShorter = false
    while start < list.count {
      var candidate = list
      candidate.removeSubrange(start..<min(start + size, list.count))
      if await isFailing(candidate) {
        list = candidate
        isShorter = true
      } else {
        start += size
      }
    }
    if size > 1 {
      size /= 2
    } else if !isShorter {
      return list
    }
  }
}
