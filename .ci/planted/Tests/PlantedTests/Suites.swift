// No target: only the text is read.
@Suite(.gated) struct GatedTests {
  struct InnerTests {}
}

/// A suite without a trait.
struct OpenTests {}  // planted

#if os(Linux)
  @Suite(
    .serialized,
    .alone)
  struct AloneTests {}

  @Suite(.serialized)
  final class SerialTests {}  // planted
#endif
