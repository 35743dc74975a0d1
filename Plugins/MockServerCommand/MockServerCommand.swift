import Foundation
import PackagePlugin

/// The command `swift package mock-server`, which builds the program mock-server and runs it in the
/// folder of the package.
///
/// The plugin does not depend on the program, because each build of the package would then build the
/// program a second time, for plugins.
///
/// It declares no permissions: those for the network are for outgoing connections only. The sandbox
/// of macOS lets no plugin listen, so a server needs `swift package --disable-sandbox mock-server`.
@main
struct MockServerCommand: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    let build = try packageManager.build(
      .product("mock-server"), parameters: .init(configuration: .inherit, echoLogs: true))
    let programs = build.builtArtifacts.filter { $0.kind == .executable }
    guard build.succeeded, let program = programs.first?.url else {
      Diagnostics.error("mock-server cannot be built")
      return
    }
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = context.package.directoryURL
    // The input of the plugin has the messages of SwiftPM.
    process.standardInput = FileHandle.nullDevice
    let parent = getppid()
    // A thread of a task blocks signals, and the program would inherit that.
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    try process.run()
    let child = ProgramSignals(of: process.processIdentifier, parent: parent)
    process.waitUntilExit()
    child.cancel()
    guard process.terminationReason == .exit else { exit(128 + process.terminationStatus) }
    if process.terminationStatus != 0 { exit(process.terminationStatus) }
  }
}

/// The signals that end the program, which are forwarded to it once.
///
/// SwiftPM ends without a word to its plugins if it receives a signal itself, so that the end of the
/// parent process is one of them.
private struct ProgramSignals {
  private let sources: [any DispatchSourceProtocol]

  init(of program: Int32, parent: Int32) {
    var sources: [any DispatchSourceProtocol] = []
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler {
        // A terminal sends Ctrl-C to all processes of the group.
        if number == SIGTERM || getpgid(program) != getpgrp() { kill(program, SIGTERM) }
      }
      sources.append(source)
    }
    let timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now(), repeating: .milliseconds(500))
    timer.setEventHandler {
      guard getppid() != parent else { return }
      timer.cancel()
      kill(program, SIGTERM)
    }
    sources.append(timer)
    for source in sources { source.activate() }
    self.sources = sources
  }

  func cancel() {
    for source in sources { source.cancel() }
  }
}
