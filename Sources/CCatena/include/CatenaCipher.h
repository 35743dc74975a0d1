// Authenticated encryption, key derivation and comparison in constant time, on Linux only.
//
// The functions are those of OpenSSL's libcrypto, which is loaded at run time, as for CatenaHash.h.
#pragma once

#if defined(__linux__)
#include <stdbool.h>
#include <stddef.h>

/// The size of a key of AES-256, in bytes.
#define CATENA_AES_KEY_SIZE 32
/// The size of the nonce of AES-GCM, in bytes. Source: NIST SP 800-38D section 5.2.1.1.
#define CATENA_GCM_NONCE_SIZE 12
/// The size of the tag of AES-GCM, in bytes.
#define CATENA_GCM_TAG_SIZE 16

/// Encrypts bytes by AES-256-GCM. Any thread can call it. The first call loads the library.
///
/// Writes `count` bytes to `output`, and the tag to `tag`. Returns false if the library is missing or fails.
bool catena_gcm_seal(
  const unsigned char *key, const unsigned char *nonce, const unsigned char *header, size_t header_count,
  const unsigned char *bytes, size_t count, unsigned char *output, unsigned char *tag);

/// Decrypts bytes by AES-256-GCM.
///
/// Returns false, and clears `output`, if the tag does not belong to the bytes, the header, the nonce and the key, or
/// if the library is missing or fails.
bool catena_gcm_open(
  const unsigned char *key, const unsigned char *nonce, const unsigned char *header, size_t header_count,
  const unsigned char *bytes, size_t count, const unsigned char *tag, unsigned char *output);

/// Decrypts bytes by AES-256-CBC with the padding of PKCS #7.
///
/// `output` has space for `count` bytes. Returns the number of bytes written, or -1 if the padding is not valid, or if
/// the library is missing or fails.
ptrdiff_t catena_cbc_decrypt(
  const unsigned char *key, const unsigned char *vector, const unsigned char *bytes, size_t count,
  unsigned char *output);

/// Derives a key from a passphrase by PBKDF2 with HMAC-SHA256, or HMAC-SHA1 if `is_sha1`. Source: RFC 8018 section 5.2.
///
/// Returns false if the library is missing or fails.
bool catena_pbkdf2(
  bool is_sha1, const char *passphrase, size_t passphrase_count, const unsigned char *salt, size_t salt_count,
  int iterations, unsigned char *output, size_t output_count);
#endif
