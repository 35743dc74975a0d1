import Foundation

// The functions that libFuzzer calls. Its library contains `main`.
//
// Source: https://llvm.org/docs/LibFuzzer.html, "Fuzz Target" and "Startup initialization".

/// The target that the argument `--target=NAME` selects.
private let selectedTarget: FuzzTarget = {
  let prefix = "--target="
  let name = CommandLine.arguments.first { $0.hasPrefix(prefix) }?.dropFirst(prefix.count)
  guard let target = FuzzTarget.all.first(where: { $0.name == name ?? "" }) else {
    let names = FuzzTarget.all.map(\.name).joined(separator: " ")
    FileHandle.standardError.write(Data("error: --target=NAME with one of: \(names)\n".utf8))
    exit(2)
  }
  return target
}()

/// Lists the targets for `--list`, otherwise selects the target.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(
  _ count: UnsafeMutablePointer<CInt>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
  if CommandLine.arguments.contains("--list") {
    for target in FuzzTarget.all { print(target.name, target.maximumLength) }
    exit(0)
  }
  _ = selectedTarget
  return 0
}

/// Runs the target with an input.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  selectedTarget.check(FuzzInput(Array(UnsafeBufferPointer(start: bytes, count: count))))
  return 0
}
