// No target: only the text is read.
@Suite(.gated) struct GatedTests {
  @Test func one() {}

  struct InnerTests {
    @Test func two() {}
  }
}

struct NoSuite {}

/// A suite without a trait.
struct OpenTests {  // planted
  @Test func three() {}
}

/// A suite with another name.
struct Other {  // planted
  @Test
  func four() {}
}

#if os(Linux)
  @Suite(
    .serialized,
    .alone)
  struct AloneTests {
    @Test func five() {}
  }

  @Suite(.serialized)
  final class SerialTests {  // planted
    @Test func six() {}
  }
#endif
