import Mocking
import TestSupport
import Testing

/// Hours of delays that take next to no time, and the same delays on the clock, a small part as long.
@Suite(.timeLimit(.minutes(10)))
struct StoryTests {
  @Test(arguments: Story.all)
  func inVirtualTimeItTakesAsLongAsItsDelaysSay(_ story: Story) async {
    let time = TestScheduler()
    let stage = Stage(scheduler: time, beat: .seconds(120))
    story.begin(stage)
    await time.run()
    #expect(stage.log.entries == story.order)
    #expect(time.elapsed == stage.beat * story.beats)
    #expect(time.scheduledCount == 0)
  }

  @Test func oneAfterTheOtherTheyTakeMoreThanAnHourOfVirtualTime() async {
    let time = TestScheduler()
    for story in Story.all {
      let stage = Stage(scheduler: time, beat: .seconds(120))
      story.begin(stage)
      await time.run()
      #expect(stage.log.entries == story.order)
    }
    #expect(time.elapsed == .seconds(120) * Story.all.map(\.beats).reduce(0, +))
    #expect(time.elapsed > .seconds(3_600))
  }

  #if os(Linux) || os(macOS)
    /// All at once, in a process of its own, so that no other test's work stands between a beat and the next.
    @Test func onTheClockTheOrderIsTheSame() async {
      await #expect(processExitsWith: .success) {
        let stages = Story.all.map { story in
          let stage = Stage(scheduler: .live, beat: .milliseconds(400))
          story.begin(stage)
          return (story, stage)
        }
        for (story, stage) in stages {
          #expect(await stage.log.entries(story.order.count) == story.order, "\(story.name)")
        }
      }
    }
  #endif
}
