// Decoders of content codings, on Linux only.
//
// gzip and deflate are decoded by the system's zlib, which libcurl requires. Brotli and zstd are decoded
// by their libraries if these can be loaded at run time.
#pragma once

#if defined(__linux__)
#include <stdbool.h>
#include <stddef.h>

/// A content coding. Source: RFC 9110 section 8.4.1, RFC 7932, RFC 8878.
typedef enum __attribute__((enum_extensibility(closed))) {
  CatenaCodingGzip,
  CatenaCodingDeflate,
  CatenaCodingBrotli,
  CatenaCodingZstd,
} CatenaCoding;

/// The state of a decoder after a step.
typedef enum __attribute__((enum_extensibility(closed))) {
  /// The decoder needs more input or more space.
  CatenaDecoderContinues,
  /// The input so far is complete. Further input begins another gzip member or zstd frame, and is corrupt
  /// in the other codings.
  CatenaDecoderIsComplete,
  /// The input is corrupt.
  CatenaDecoderIsCorrupt,
} CatenaDecoderState;

typedef struct CatenaDecoder CatenaDecoder;

/// Returns whether the library of a coding is available. Any thread can call it.
bool catena_decoder_is_available(CatenaCoding coding);
/// Makes a decoder, or returns null if its library is not available or memory is exhausted.
CatenaDecoder *catena_decoder_make(CatenaCoding coding);
void catena_decoder_free(CatenaDecoder *decoder);
/// Decodes bytes.
///
/// `input` and `output` are advanced, and their sizes are reduced, by the bytes consumed and produced. If
/// neither changes, the decoder needs more input. `output` must have space for at least one byte.
CatenaDecoderState catena_decoder_run(
  CatenaDecoder *decoder, const unsigned char **input, size_t *inputSize, unsigned char **output,
  size_t *outputSize);
#endif
