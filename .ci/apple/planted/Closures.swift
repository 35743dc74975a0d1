// Only the text is read. Each line that is to be reported ends in `// planted`.
import AuthenticationServices
import Foundation
import Network

@MainActor
final class Window: NSObject {
  private var session: ASWebAuthenticationSession?
  private let monitor = NWPathMonitor()
  lazy var observer = NotificationCenter.default.addObserver(forName: nil, object: nil) { _ in }  // planted

  func trailing(_ page: URL) {
    session = ASWebAuthenticationSession(url: page, callbackURLScheme: "a") { url, error in  // planted
      print(url as Any)
    }
  }

  func argument(_ page: URL) {
    session = ASWebAuthenticationSession(
      url: page, callbackURLScheme: "a",
      completionHandler: { url, error in  // planted
        print(url as Any)
      })
  }

  func module(_ page: URL) -> ASWebAuthenticationSession {
    AuthenticationServices.ASWebAuthenticationSession(url: page, callbackURLScheme: nil) {  // planted
      print($0 as Any)
      print($1 as Any)
    }
  }

  func handlers(_ other: NWPathMonitor, _ process: Process) {
    monitor.pathUpdateHandler = { path in }  // planted
    other.pathUpdateHandler =
      { [weak self] path in self?.show(path) }  // planted
    process.terminationHandler = { _ in }  // planted
    monitor.pathUpdateHandler = { @Sendable path in }
    monitor.pathUpdateHandler = { @MainActor [weak self] path in self?.show(path) }
    monitor.pathUpdateHandler = {
      @Sendable [weak self] path in
      print(path)
    }
  }

  func functions(_ trust: SecTrust, _ queue: DispatchQueue) {
    let status = SecTrustEvaluateAsyncWithError(trust, queue) { _, isTrusted, error in  // planted
      print(isTrusted)
    }
    var isOpen: Bool
    queue.async { print(status) }  // planted
    if status == 0 {
      queue.asyncAfter(deadline: .now()) { isOpen = true }  // planted
    } else {
      URLSession.shared.dataTask(with: URL(string: "a")!) { _, _, _ in }.resume()  // planted
    }
    guard status == 0 else { return }
    let source = DispatchSource.makeMemoryPressureSource(eventMask: .all, queue: queue)
    source.setEventHandler { print("{ text }") }  // planted
    source.setCancelHandler(handler: { print("}") })  // planted
    DispatchQueue.main.async { self.show(nil) }
    Task { queue.async { print("a") } }  // planted
    Task.detached { queue.async { print("a") } }
    Task { @Sendable in queue.async { print("a") } }
    [1].forEach { number in show(number) }
    let application = NSApplication.shared
    show(application.windows.first { $0.isVisible })
    let center = NotificationCenter.default
    center.publisher(for: name).map { show($0) }  // planted
    queue.async(group: nil, execute: own { show(1) })
  }

  func members(_ connection: NWConnection) {
    connection.send(content: nil, completion: .contentProcessed { _ in })  // planted
    connection.start(queue: .global())
    connection.own { 1 } other: { 2 }  // planted
  }

  var computed: Int {
    queue.async { print(1) }  // planted
    return 1
  }

  nonisolated func free(_ queue: DispatchQueue) {
    queue.async { print(1) }
  }

  deinit { queue.async { print(1) } }

  /// A nested type does not have the isolation of its outer type.
  struct Nested {
    func free(_ queue: DispatchQueue) { queue.async { print(1) } }
  }

  func own(_ body: () -> Void) {
    own { show(1) }
    func local() { queue.async { print(1) } }  // planted
  }
}

extension Window {
  func extended(_ queue: DispatchQueue) { queue.async { print(1) } }  // planted
  static let shared: Int = {
    queue.async { print(1) }  // planted
    return 1
  }()
}

final class Delegate: NSObject, UIApplicationDelegate {
  func launched(_ queue: DispatchQueue) { queue.async { print(1) } }  // planted
}

class Subclass: Window {
  func inherited(_ queue: DispatchQueue) { queue.async { print(1) } }  // planted
}

final class Provider: NSObject {}

extension Provider: ASWebAuthenticationPresentationContextProviding {
  func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
    queue.async { print(1) }  // planted
    return ASPresentationAnchor()
  }
}

actor Counter {
  func count(_ queue: DispatchQueue) { queue.async { print(1) } }  // planted
  nonisolated func free(_ queue: DispatchQueue) { queue.async { print(1) } }
}

final class Free {
  @MainActor func isolated(_ queue: DispatchQueue) { queue.async { print(1) } }  // planted
  func free(_ queue: DispatchQueue) { queue.async { print(1) } }
  #if os(tvOS)
    @MainActor func television(_ queue: DispatchQueue) { queue.async { print(1) } }  // planted
  #endif
}
