// expect: 'body' has been renamed to 'data'
import Networking

func show(_ response: Response) {
  print(response.body.count)
}
