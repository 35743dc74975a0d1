// compiles
import Networking

func create(_ id: Int, _ title: String, _ owner: String?) -> [Request] {
  [
    .post("boards", json: ["a": 1, "b": "c"]),
    .put("boards/\(id)", json: ["id": id, "title": title, "owner": owner, "parent": nil]),
    .patch("boards/\(id)", json: ["open": true, "tags": [title, "new"]]),
    .post("numbers", json: ["a": 1, "b": 2]),
    .post("titles", json: [title]),
  ]
}
