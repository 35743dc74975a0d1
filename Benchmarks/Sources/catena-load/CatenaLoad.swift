import Foundation
import LoadSupport
import Mocking

/// Runs one kind of load with Catena and prints its cost.
@main
enum CatenaLoad {
  static func main() async {
    let arguments = Arguments()
    switch arguments.command {
    case "get": await Gets(arguments).run()
    case "chain": await Chains(arguments).run()
    case "download": await Transfers(arguments).download()
    case "upload": await Transfers(arguments).upload()
    case "mocked": await MockedRequests(arguments).run()
    default:
      print("usage: catena-load get|chain|download|upload|mocked [--option value ...]")
      exit(2)
    }
  }
}
