import Foundation
import Networking
import NetworkingTransfers

// Downloads a file, with a progress bar on a terminal:
//
//   swift run --package-path Examples fetch URL [-o FILE] [--resume]
//
// Ctrl-C stops the download. With --resume the bytes so far are kept, and the same command continues it, also
// after a crash. The exit status is 0 after a download, 1 after a failure, 2 after an invalid command line, and 130
// after Ctrl-C.

/// The options of the command line.
struct Options {
  static let usage = "usage: fetch URL [-o FILE] [--resume]"

  var url: URL
  var target: URL
  var isResumable = false

  /// An error of the command line.
  struct UsageError: Error, CustomStringConvertible {
    let description: String
  }

  init(_ arguments: some Sequence<String>) throws(UsageError) {
    var (words, file, isResumable) = ([String](), String?.none, false)
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--resume": isResumable = true
      case "-o", "--output":
        guard let name = rest.popFirst(), !name.isEmpty else {
          throw UsageError(description: "\(argument) needs the name of a file")
        }
        file = name
      case _ where argument.hasPrefix("-"):
        throw UsageError(description: "unknown option \(argument)")
      default: words.append(argument)
      }
    }
    guard words.count == 1, let url = URL(string: words[0]) else {
      throw UsageError(description: words.isEmpty ? "a URL is missing" : "there must be one URL")
    }
    guard ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false else {
      throw UsageError(description: "the URL must begin with http:// or https:// and a host")
    }
    let name = url.lastPathComponent
    self.url = url
    target = URL(filePath: file ?? (["", "/"].contains(name) ? "index.html" : name))
    self.isResumable = isResumable
  }
}

/// Downloads the file and returns the exit status.
func fetch(_ options: Options) async -> Int32 {
  var configuration = NetworkingConfiguration()
  // A lost connection is continued with the bytes that are missing.
  configuration.retry = .exponential(initial: .seconds(1), limit: 5)
  configuration.bodyTimeout = nil
  let networking = Networking<Request>(configuration: configuration)

  if !options.isResumable { try? await Transfer.removePartialDownload(of: options.target) }
  let transfer = networking.transfer(
    .get(RequestPath(raw: options.url.absoluteString)), to: options.target)
  let saved = transfer.response.validate()
  let interruption = await cancellingOnInterrupt(transfer)
  defer { interruption.cancel() }

  var display = ProgressDisplay()
  for await progress in transfer.progress { display.show(progress) }
  display.end(transfer.currentProgress)
  let result = await saved.result
  if !options.isResumable { try? await Transfer.removePartialDownload(of: options.target) }
  do {
    _ = try result.get()
    print(
      "saved \(options.target.path), \(ProgressBar.size(Double(transfer.currentProgress.bytes)))")
    return 0
  } catch is CancellationError {
    ProgressDisplay.write(
      "fetch: stopped\(options.isResumable ? "; the same command continues" : "")\n")
    return 130
  } catch {
    ProgressDisplay.write("fetch: \(error)\n")
    return 1
  }
}

/// Cancels the transfer on the first Ctrl-C.
///
/// A second one ends the program at once. Waits until the source is registered, because an earlier signal
/// is lost.
func cancellingOnInterrupt(_ transfer: Transfer) async -> any DispatchSourceSignal {
  signal(SIGINT, SIG_IGN)
  let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
  source.setEventHandler {
    signal(SIGINT, SIG_DFL)
    transfer.cancel()
  }
  await withCheckedContinuation { continuation in
    source.setRegistrationHandler { continuation.resume() }
    source.resume()
  }
  return source
}

do throws(Options.UsageError) {
  let arguments = CommandLine.arguments.dropFirst()
  if arguments.contains("--help") {
    print(Options.usage)
    exit(0)
  }
  exit(await fetch(try Options(arguments)))
} catch {
  ProgressDisplay.write("fetch: \(error)\n\(Options.usage)\n")
  exit(2)
}
