import Foundation
import Mocking
import MockingContracts
import MockingRecordings

// The program mock-server. Start with StubServer.swift, which serves the routes of files.

let console = Console()

/// Runs the command of the command line.
func run() async -> ExitStatus {
  let options: Options
  do throws(Options.UsageError) {
    options = try CommandLineParser.parse(CommandLine.arguments.dropFirst())
  } catch {
    console.failure("\(error)")
    return .invalidCommandLine
  }
  do {
    switch options.command {
    case .help: console.line(OptionTable.help)
    case .version: console.line("mock-server \(MockServerProgram.version)")
    case .initialize:
      try ExampleFile.write(to: Options.url(of: options.files[0]), console)
      return .stopped
    case .infer:
      let file = Options.url(of: options.files[0])
      let title = file.deletingPathExtension().lastPathComponent
      console.line(
        String(InferredContract(try HAR(contentsOf: file), title: title).text.dropLast()))
    case .endpoints:
      let contract = try Contract(contentsOf: Options.url(of: options.files[0]))
      for warning in contract.warnings { console.failure("warning: \(warning)") }
      console.line(String(EndpointSource(contract).text.dropLast()))
    case .completions:
      console.line(Completions(rawValue: options.files[0])?.script ?? "")
    case .check:
      let status = try FileCheck(options, console).run()
      // Without JSON, the result is the status.
      guard status == .stopped, options.writesJSON else { return status }
    case .serve:
      let signals = ProgramSignals()
      let server = try StubServer(options, console) { signals.terminate() }
      signals.start { server.reload(isRequested: true) }
      if options.endsWithInput { signals.terminateAtEndOfInput() }
      await signals.termination()
      try await server.stop()
      return .stopped
    }
    try console.checkOutput()
    return .stopped
  } catch MockServerError.cannotListen(let port, let reason) {
    console.failure(MockServerProgram.listeningFailure(options.host, port, reason))
    return .cannotListen
  } catch let error as Options.UsageError {
    console.failure("\(error)")
    return .invalidCommandLine
  } catch is ContractNotKept {
    return .contractNotKept
  } catch let error as UnsavedFile {
    console.failure(error.description)
    return .cannotSave
  } catch {
    console.failure(MockServerProgram.description(of: error, options.files))
    return .invalidFile
  }
}

console.exit(await run())
