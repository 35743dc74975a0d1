/// A square.
struct Square {
  var side = 1
}

/// A kind of shape.
enum Kind {
  case plain
  case colored
}

/// A protocol of which the other folders declare conformances.
protocol Shape {
  var area: Int { get }
}

/// A function with a value of any type.
func use<Value>(_ value: Value) -> Value {
  value
}

func sides() -> [Square] {
  [Square(), Square()]
}

func first() -> Square? {
  sides().first
}

/// The declarations of Foundation, which is not imported.
struct URL {
  init?(string: String) {}
}

struct URLComponents {
  init?(string: String) {}
}

struct FileHandle {
  static let standardError = FileHandle()
  static let standardOutput = FileHandle()
}

/// Calls of which privacy manifests have the category: this one has that of `UserDefaults`.
struct UserDefaults {
  static let standard = UserDefaults()
  var systemUptime = 1.0  // planted
  // Not systemUptime.
  func modificationDate() -> String { "modificationDate" }  // planted
}

struct Process {
  var standardError = 2
}

struct FileLock {}

struct Keeper {
  let lock: FileLock  // planted
}
