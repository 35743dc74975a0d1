import Foundation
import LoadSupport
import Mocking

/// Does one piece of work by Catena and says what it has cost.
@main
enum CatenaLoad {
  static func main() async {
    let arguments = Arguments()
    switch arguments.work {
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
