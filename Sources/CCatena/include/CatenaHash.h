// The hash functions of Digest authentication and of transfers, and the codes of webhooks, on Linux only.
//
// They are those of OpenSSL's libcrypto, which is loaded at run time. Most builds of libcurl use it, too.
#pragma once

#if defined(__linux__)
#include <stdbool.h>
#include <stddef.h>

/// A hash function. Source: RFC 7616 section 6.1.
typedef enum __attribute__((enum_extensibility(closed))) {
  CatenaHashMD5,
  CatenaHashSHA1,
  CatenaHashSHA256,
  CatenaHashSHA512,
  /// SHA-512/256, which is not a part of SHA-512. Source: FIPS 180-4 section 5.3.6.2.
  CatenaHashSHA512_256,
} CatenaHash;

/// The maximum size of a hash, in bytes.
#define CATENA_HASH_SIZE 64

/// Computes the hash of bytes. Any thread can call it. The first call loads the library.
///
/// Returns the number of bytes written to `output`, which has space for CATENA_HASH_SIZE bytes, or 0 if the
/// library is missing or does not allow the function.
size_t catena_hash(CatenaHash hash, const void *bytes, size_t count, unsigned char *output);

/// Begins the hash of bytes that arrive in pieces. Any thread can call it. The first call loads the library.
///
/// Returns the state of the computation, which one thread at a time can use, and which the caller releases; 0 if
/// the library is missing or does not allow the function.
void *catena_hash_begin(CatenaHash hash);

/// Adds bytes. Returns false if the library reports an error.
bool catena_hash_add(void *context, const void *bytes, size_t count);

/// Ends the computation.
///
/// Returns the number of bytes written to `output`, which has space for CATENA_HASH_SIZE bytes, or 0 after an error.
size_t catena_hash_end(void *context, unsigned char *output);

/// Releases the state of a computation.
void catena_hash_release(void *context);

/// Computes the message authentication code HMAC-SHA256 of bytes. Any thread can call it. The first call loads
/// the library. Source: RFC 2104.
///
/// Returns the number of bytes written to `output`, which has space for CATENA_HASH_SIZE bytes, or 0 if the
/// library is missing.
size_t catena_hmac_sha256(
  const void *key, size_t key_count, const void *bytes, size_t count, unsigned char *output);
#endif
