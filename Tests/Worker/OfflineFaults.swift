import Foundation
import SystemCallFaults

// Fails one system call of an offline store at each of its calls, and checks that no accepted request is
// lost.
//
//     offline-faults FOLDER CALL [all]
//
// CALL is a number of `FaultyCall`. Without `all`, the errors are EIO, and for transfers EINTR and too few
// bytes. Each story stores and replays requests in a fresh folder below FOLDER, while the n-th call fails
// once, or while it and all later ones fail. Each line of standard output is a violation, except for the
// last one:
//
//     done STORIES
enum OfflineFaults {
  static func run(_ arguments: [String]) async throws {
    guard arguments.count >= 3, let call = Int32(arguments[2]), let name = faults_name(call) else {
      exit(64)
    }
    let folder = URL(fileURLWithPath: arguments[1]).appendingPathComponent("call-\(call)")
    faults_watch(folder.path)

    // The errors of each call; 0 makes a transfer short.
    var errors = arguments.contains("all") ? [EIO, ENOSPC, EACCES, EMFILE] : [EIO]
    if ["read", "write", "pread", "pwrite"].contains(String(cString: name)) {
      errors += [0, EINTR]
    }

    var stories = 0
    for error in errors {
      // EINTR would be repeated for ever.
      for isForever in [false, true] where !isForever || error != EINTR {
        var nth: Int32 = 1
        while true {
          let fault = OfflineFaultStory.Fault(
            call: call, nth: nth, error: error, isForever: isForever)
          let story = OfflineFaultStory(folder.appendingPathComponent("\(stories)"), fault)
          let calls = await story.run()
          stories += 1
          for violation in story.violations { print("\(fault): \(violation)") }
          if calls < nth { break }
          nth += 1
        }
      }
    }
    print("done \(stories)")
  }
}
