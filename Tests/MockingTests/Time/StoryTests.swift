import Mocking
import TestSupport
import Testing

/// Hours of delays that take next to no time, and the same delays on the clock, a thousandth as long.
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

  @Test(arguments: Story.all)
  func onTheClockTheOrderIsTheSame(_ story: Story) async {
    let stage = Stage(scheduler: .live, beat: .milliseconds(120))
    story.begin(stage)
    #expect(await stage.log.entries(story.order.count) == story.order)
  }
}
