// compiles
import Networking

func send(_ networking: Networking<Request>) {
  networking.setBaseURL("https://api.example.com/v1")
}
