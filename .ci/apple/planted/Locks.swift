// Only the text is read. Each line that is to be reported ends in `// planted`.
import CatenaSystem

struct Owner: ~Copyable {
  private let lock: FileLock  // planted
  var other: FileLock?  // planted
  static let shared = try! FileLock(waitingFor: "a")  // planted
}

enum State: ~Copyable {
  case held(FileLock)  // planted
  case free
}

func box() throws -> Bool {
  guard let lock = try FileLock(tryLocking: "a") else { return false }
  let box = Mutex<FileLock?>(lock)  // planted
  return true
}

func consume(_ lock: consuming FileLock) {}  // planted
func borrow(_ lock: borrowing FileLock) {}

func make(_ path: String) throws -> FileLock {
  try FileLock(waitingFor: path)
}

func makeIfFree(_ path: String) throws -> FileLock? {
  if path.isEmpty { return nil }
  return try FileLock(tryLocking: path)
}

func local(_ path: String) throws {
  let lock = try FileLock(waitingFor: path)
  borrow(lock)
}

func localOfAClosure(_ path: String) throws {
  try NetworkError.reporting(.fileNotWritten) {
    let lock = try FileLock(waitingFor: path)
    borrow(lock)
  }
  if let lock = try FileLock(tryLocking: path) {
    borrow(lock)
  }
}

func capture(_ path: String) throws {
  let lock = try FileLock(waitingFor: path)
  queue.async {
    borrow(lock)  // planted
  }
}

func captureOfAMaker(_ owner: Owner) throws {
  guard let lock = try owner.makeIfFree("a") else { return }
  Task { borrow(lock) }  // planted
}

func suspend(_ path: String) async throws {
  let lock = try FileLock(waitingFor: path)
  try await refresh()  // planted
  borrow(lock)
}

func suspendConditionally(_ path: String) async throws {
  if let lock = try FileLock(tryLocking: path) {
    borrow(lock)
    await refresh()  // planted
  }
  await refresh()
}

func unbound(_ path: String) throws {
  keep(try FileLock(waitingFor: path))  // planted
}

func own(_ file: OpenFile) throws -> Bool {
  _ = try file.lock(waiting: true)  // planted
  guard try file.lock() else { return false }  // planted
  return flock(3, LOCK_EX | LOCK_NB) == 0  // planted
}
