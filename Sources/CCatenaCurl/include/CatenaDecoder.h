// Decoders of content codings, and the encoder of gzip, on Linux only.
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

/// The state of an encoder after a step.
typedef enum __attribute__((enum_extensibility(closed))) {
  /// The encoder needs more input or more space.
  CatenaEncoderContinues,
  /// All bytes have been produced, after the last input.
  CatenaEncoderIsComplete,
  /// The encoder cannot continue.
  CatenaEncoderHasFailed,
} CatenaEncoderState;

/// An encoder of gzip.
typedef struct CatenaEncoder CatenaEncoder;

/// Makes an encoder with zlib's default level, or returns null if memory is exhausted.
CatenaEncoder *catena_encoder_make(void);
void catena_encoder_free(CatenaEncoder *encoder);
/// Encodes bytes.
///
/// `input` and `output` are advanced, and their sizes are reduced, by the bytes consumed and produced. `output`
/// must have space for at least one byte. `isLast` is set from the last input on, until the encoder is complete.
CatenaEncoderState catena_encoder_run(
  CatenaEncoder *encoder, const unsigned char **input, size_t *inputSize, unsigned char **output,
  size_t *outputSize, bool isLast);
#endif
