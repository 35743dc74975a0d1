import CatenaClient
import Foundation
import Networking
import Promises

let api = API(path: "boards")
let client = Networking<NetworkRequest>(
  baseURL: URL(string: "http://127.0.0.1:1/"), retry: .never)
let text = await client.request(.get(RequestPath(raw: api.path))).toString()
  .recover { _ in "offline" }.result
print(Promises.Promise(try text.get()).value)
