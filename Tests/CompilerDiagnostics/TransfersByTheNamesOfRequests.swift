// expect: 'download(_:to:resumable:replacing:connections:sha256:_:)' has been renamed to 'transfer(_:to:resumable:replacing:connections:sha256:_:file:line:)'
// expect: 'upload' is unavailable: request(.create(form)) uploads the body of an endpoint and returns a promise; transfer(.create(form)) can be paused
// expect: 'upload(_:to:by:_:)' has been renamed to 'transfer(_:to:by:_:file:line:)'
// A label does not change the type of a download, and an endpoint with a body is a request.
import Foundation
import NetworkingTransfers

func download(_ networking: Networking<Request>, to file: URL) {
  let transfer = networking.download(.get("film"), to: file, resumable: true)
  transfer.pause()
}

func upload(_ networking: Networking<Request>, _ data: Data) {
  networking.upload(.upload(data: data, to: "films"))
}

func uploadByTus(_ networking: Networking<Request>, _ file: URL) {
  let transfer = networking.upload(file, to: .post("films"), by: .tus())
  transfer.pause()
}
