// Performs one resumable transfer, which may be killed at any time and run again, as Tests/Differential does.
//
//   resumable-transfers download URL FILE [CONNECTIONS] [SHA256]
//   resumable-transfers upload URL FILE [PIECE-BYTES] [verify]
//
// The output is the status, the size of the file in bytes, and the growth of the peak resident memory in KiB.
// The exit status is 1 after an error or a status other than 2xx.

import Foundation
import Networking
import NetworkingTransfers
import ProgramSupport

let arguments = CommandLine.arguments
guard arguments.count >= 4 else {
  print("usage: resumable-transfers download|upload URL FILE [CONNECTIONS|PIECE-BYTES]")
  exit(2)
}
let file = URL(fileURLWithPath: arguments[3])
let number = arguments.count > 4 ? Int(arguments[4]) : nil
var configuration = NetworkingConfiguration()
configuration.retry = .exponential(initial: .milliseconds(50), cap: .seconds(1), limit: 5)
let networking = Networking<Request>(configuration: configuration)

// A small exchange first, so that memory that every client needs is not counted.
_ = try? await networking.request(.options(RequestPath(raw: arguments[2]))).value
let before = ProcessResources.peakKibibytes
do {
  let transfer =
    switch arguments[1] {
    case "download":
      networking.transfer(
        .get(RequestPath(raw: arguments[2])), to: file,
        connections: number ?? 1, sha256: arguments.count > 5 ? arguments[5] : nil)
    default:
      networking.transfer(
        file, to: .post(RequestPath(raw: arguments[2])),
        by: .tus(
          metadata: ["filename": file.lastPathComponent, "filetype": "application/octet-stream"],
          pieceSize: number ?? 16 << 20,
          verifiesPieces: arguments.last == "verify"))
    }
  let response = try await transfer.response.validate().value
  print(response.status, transfer.currentProgress.bytes, ProcessResources.peakKibibytes - before)
} catch {
  print(error)
  exit(1)
}
