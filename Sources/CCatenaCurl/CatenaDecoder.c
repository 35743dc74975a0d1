#include "CatenaDecoder.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

// The declarations are part of the stable ABIs of the libraries, whose headers may be missing.
// Source: https://www.zlib.net/manual.html, https://www.brotli.org/decode.html,
// https://facebook.github.io/zstd/zstd_manual.html.

// z_stream.
typedef struct {
  const unsigned char *input;
  unsigned int inputSize;
  unsigned long totalInput;
  unsigned char *output;
  unsigned int outputSize;
  unsigned long totalOutput;
  const char *message;
  void *state;
  void *allocate;
  void *release;
  void *opaque;
  int dataType;
  unsigned long checksum;
  unsigned long reserved;
} ZStream;

extern const char *zlibVersion(void);
extern int inflateInit2_(ZStream *stream, int windowBits, const char *version, int size);
extern int inflate(ZStream *stream, int flush);
extern int inflateReset(ZStream *stream);
extern int inflateEnd(ZStream *stream);
extern int deflateInit2_(
  ZStream *stream, int level, int method, int windowBits, int memoryLevel, int strategy,
  const char *version, int size);
extern int deflate(ZStream *stream, int flush);
extern int deflateEnd(ZStream *stream);

// The functions of libbrotlidec.
static struct {
  void *(*make)(void *allocate, void *release, void *opaque);
  int (*run)(
    void *state, size_t *inputSize, const unsigned char **input, size_t *outputSize,
    unsigned char **output, size_t *total);
  void (*release)(void *state);
} brotli;

// ZSTD_inBuffer and ZSTD_outBuffer.
typedef struct {
  const void *bytes;
  size_t size;
  size_t position;
} ZstdInput;
typedef struct {
  void *bytes;
  size_t size;
  size_t position;
} ZstdOutput;

// The functions of libzstd.
static struct {
  void *(*make)(void);
  size_t (*run)(void *context, ZstdOutput *output, ZstdInput *input);
  unsigned (*isError)(size_t result);
  size_t (*setParameter)(void *context, int parameter, int value);
  size_t (*release)(void *context);
} zstd;

static bool hasBrotli;
static bool hasZstd;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libbrotlidec.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library) {
    *(void **)&brotli.make = dlsym(library, "BrotliDecoderCreateInstance");
    *(void **)&brotli.run = dlsym(library, "BrotliDecoderDecompressStream");
    *(void **)&brotli.release = dlsym(library, "BrotliDecoderDestroyInstance");
    hasBrotli = brotli.make && brotli.run && brotli.release;
  }
  library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library) {
    *(void **)&zstd.make = dlsym(library, "ZSTD_createDCtx");
    *(void **)&zstd.run = dlsym(library, "ZSTD_decompressStream");
    *(void **)&zstd.isError = dlsym(library, "ZSTD_isError");
    *(void **)&zstd.setParameter = dlsym(library, "ZSTD_DCtx_setParameter");
    *(void **)&zstd.release = dlsym(library, "ZSTD_freeDCtx");
    hasZstd = zstd.make && zstd.run && zstd.isError && zstd.setParameter && zstd.release;
  }
}

struct CatenaDecoder {
  CatenaCoding coding;
  bool isComplete;
  // For gzip and deflate.
  ZStream stream;
  bool isStarted;
  // The first bytes of a deflate stream, which tell whether it has zlib's header.
  unsigned char start[2];
  unsigned int startSize;
  // For Brotli and zstd.
  void *state;
  // The number of consumed bytes of the current zstd frame, and the first of them.
  size_t frameSize;
  unsigned char magic[4];
};

bool catena_decoder_is_available(CatenaCoding coding) {
  pthread_once(&loaded, load);
  switch (coding) {
    case CatenaCodingGzip: return true;
    case CatenaCodingDeflate: return true;
    case CatenaCodingBrotli: return hasBrotli;
    case CatenaCodingZstd: return hasZstd;
  }
  return false;
}

static bool start(CatenaDecoder *decoder, int windowBits) {
  decoder->isStarted =
    inflateInit2_(&decoder->stream, windowBits, zlibVersion(), sizeof(ZStream)) == 0;
  return decoder->isStarted;
}

CatenaDecoder *catena_decoder_make(CatenaCoding coding) {
  if (!catena_decoder_is_available(coding)) return NULL;
  CatenaDecoder *decoder = calloc(1, sizeof(CatenaDecoder));
  if (!decoder) return NULL;
  decoder->coding = coding;
  bool isMade = true;
  switch (coding) {
    // A window of 32 KiB, and the header of gzip.
    case CatenaCodingGzip: isMade = start(decoder, 15 + 16); break;
    case CatenaCodingDeflate: break;
    case CatenaCodingBrotli:
      decoder->state = brotli.make(NULL, NULL, NULL);
      isMade = decoder->state;
      break;
    case CatenaCodingZstd:
      decoder->state = zstd.make();
      isMade = decoder->state;
      // ZSTD_d_windowLogMax: at most 8 MiB. Source: RFC 9659.
      if (isMade) zstd.setParameter(decoder->state, 100, 23);
      break;
  }
  if (isMade) return decoder;
  free(decoder);
  return NULL;
}

void catena_decoder_free(CatenaDecoder *decoder) {
  if (decoder->isStarted) inflateEnd(&decoder->stream);
  if (decoder->state && decoder->coding == CatenaCodingBrotli) brotli.release(decoder->state);
  if (decoder->state && decoder->coding == CatenaCodingZstd) zstd.release(decoder->state);
  free(decoder);
}

static CatenaDecoderState run_zlib(
  CatenaDecoder *decoder, const unsigned char **input, size_t *inputSize, unsigned char **output,
  size_t *outputSize) {
  if (decoder->isComplete) {
    if (decoder->coding != CatenaCodingGzip) return CatenaDecoderIsCorrupt;
    // Another member. Source: RFC 1952 section 2.2.
    inflateReset(&decoder->stream);
    decoder->isComplete = false;
  }
  ZStream *stream = &decoder->stream;
  unsigned int size = *inputSize > UINT_MAX ? UINT_MAX : (unsigned int)*inputSize;
  unsigned int space = *outputSize > UINT_MAX ? UINT_MAX : (unsigned int)*outputSize;
  stream->input = *input;
  stream->inputSize = size;
  stream->output = *output;
  stream->outputSize = space;
  // Z_NO_FLUSH.
  int result = inflate(stream, 0);
  *input += size - stream->inputSize;
  *inputSize -= size - stream->inputSize;
  *output += space - stream->outputSize;
  *outputSize -= space - stream->outputSize;
  switch (result) {
    // Z_OK, and Z_BUF_ERROR without progress.
    case 0:
    case -5: return CatenaDecoderContinues;
    // Z_STREAM_END.
    case 1: decoder->isComplete = true; return CatenaDecoderIsComplete;
    default: return CatenaDecoderIsCorrupt;
  }
}

// Starts a deflate decoder when its first two bytes are known. Many servers omit zlib's header.
static CatenaDecoderState start_deflate(
  CatenaDecoder *decoder, const unsigned char **input, size_t *inputSize, unsigned char **output,
  size_t *outputSize) {
  while (decoder->startSize < 2 && *inputSize > 0) {
    decoder->start[decoder->startSize++] = *(*input)++;
    (*inputSize)--;
  }
  if (decoder->startSize < 2) return CatenaDecoderContinues;
  unsigned char *bytes = decoder->start;
  // Source: RFC 1950 section 2.2.
  bool hasHeader = (bytes[0] & 15) == 8 && (bytes[0] * 256 + bytes[1]) % 31 == 0;
  if (!start(decoder, hasHeader ? 15 : -15)) return CatenaDecoderIsCorrupt;
  const unsigned char *first = bytes;
  size_t count = 2;
  CatenaDecoderState state = CatenaDecoderContinues;
  // Two bytes produce less than a byte of output at a time, so there is always space for it.
  while (count > 0 && *outputSize > 0 && state == CatenaDecoderContinues) {
    size_t before = count;
    state = run_zlib(decoder, &first, &count, output, outputSize);
    if (count == before) break;
  }
  return count > 0 ? CatenaDecoderIsCorrupt : state;
}

// Returns whether the next bytes of a zstd frame begin a frame or a skippable frame, or come after the magic
// number. The library also decodes the formats of its early versions, if they arrive in large enough pieces.
// Source: RFC 8878 sections 3.1.1 and 3.1.2.
static bool is_frame(const CatenaDecoder *decoder, const unsigned char *input, size_t size) {
  static const unsigned char frame[] = {0x28, 0xB5, 0x2F, 0xFD}, skippable[] = {0x50, 0x2A, 0x4D, 0x18};
  bool isFrame = true, isSkippable = true;
  for (size_t index = 0; index < 4; index++) {
    unsigned char byte;
    if (index < decoder->frameSize) byte = decoder->magic[index];
    else if (index - decoder->frameSize < size) byte = input[index - decoder->frameSize];
    else break;
    isFrame &= byte == frame[index];
    isSkippable &= (index == 0 ? byte & 0xF0 : byte) == skippable[index];
  }
  return isFrame || isSkippable;
}

CatenaDecoderState catena_decoder_run(
  CatenaDecoder *decoder, const unsigned char **input, size_t *inputSize, unsigned char **output,
  size_t *outputSize) {
  if (decoder->isComplete && *inputSize == 0) return CatenaDecoderIsComplete;
  switch (decoder->coding) {
    case CatenaCodingGzip: return run_zlib(decoder, input, inputSize, output, outputSize);
    case CatenaCodingDeflate:
      if (!decoder->isStarted) {
        CatenaDecoderState state = start_deflate(decoder, input, inputSize, output, outputSize);
        if (!decoder->isStarted || state != CatenaDecoderContinues) return state;
      }
      return run_zlib(decoder, input, inputSize, output, outputSize);
    case CatenaCodingBrotli: {
      if (decoder->isComplete) return CatenaDecoderIsCorrupt;
      // BROTLI_DECODER_RESULT_ERROR is 0, BROTLI_DECODER_RESULT_SUCCESS is 1.
      int result = brotli.run(decoder->state, inputSize, input, outputSize, output, NULL);
      if (result == 0) return CatenaDecoderIsCorrupt;
      decoder->isComplete = result == 1;
      break;
    }
    case CatenaCodingZstd: {
      if (!is_frame(decoder, *input, *inputSize)) return CatenaDecoderIsCorrupt;
      ZstdInput source = {*input, *inputSize, 0};
      ZstdOutput target = {*output, *outputSize, 0};
      size_t result = zstd.run(decoder->state, &target, &source);
      for (size_t index = 0; index < source.position && decoder->frameSize + index < 4; index++)
        decoder->magic[decoder->frameSize + index] = (*input)[index];
      decoder->frameSize += source.position;
      *input += source.position;
      *inputSize -= source.position;
      *output += target.position;
      *outputSize -= target.position;
      if (zstd.isError(result)) return CatenaDecoderIsCorrupt;
      decoder->isComplete = result == 0;
      if (decoder->isComplete) decoder->frameSize = 0;
      break;
    }
  }
  return decoder->isComplete ? CatenaDecoderIsComplete : CatenaDecoderContinues;
}

struct CatenaEncoder {
  ZStream stream;
};

CatenaEncoder *catena_encoder_make(void) {
  CatenaEncoder *encoder = calloc(1, sizeof(CatenaEncoder));
  if (!encoder) return NULL;
  // Z_DEFAULT_COMPRESSION, Z_DEFLATED, a window of 32 KiB and the header of gzip without a time, the default
  // memory level, Z_DEFAULT_STRATEGY.
  if (deflateInit2_(&encoder->stream, -1, 8, 15 + 16, 8, 0, zlibVersion(), sizeof(ZStream)) == 0)
    return encoder;
  free(encoder);
  return NULL;
}

void catena_encoder_free(CatenaEncoder *encoder) {
  deflateEnd(&encoder->stream);
  free(encoder);
}

CatenaEncoderState catena_encoder_run(
  CatenaEncoder *encoder, const unsigned char **input, size_t *inputSize, unsigned char **output,
  size_t *outputSize, bool isLast) {
  ZStream *stream = &encoder->stream;
  unsigned int size = *inputSize > UINT_MAX ? UINT_MAX : (unsigned int)*inputSize;
  unsigned int space = *outputSize > UINT_MAX ? UINT_MAX : (unsigned int)*outputSize;
  bool isEnd = isLast && size == *inputSize;
  stream->input = *input;
  stream->inputSize = size;
  stream->output = *output;
  stream->outputSize = space;
  // Z_FINISH or Z_NO_FLUSH.
  int result = deflate(stream, isEnd ? 4 : 0);
  *input += size - stream->inputSize;
  *inputSize -= size - stream->inputSize;
  *output += space - stream->outputSize;
  *outputSize -= space - stream->outputSize;
  switch (result) {
    // Z_OK, and Z_BUF_ERROR without progress.
    case 0:
    case -5: return CatenaEncoderContinues;
    // Z_STREAM_END.
    case 1: return CatenaEncoderIsComplete;
    default: return CatenaEncoderHasFailed;
  }
}
#endif
