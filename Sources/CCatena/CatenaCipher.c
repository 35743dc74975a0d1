#include "CatenaCipher.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

// The functions of libcrypto, whose headers may be missing. They have had these types since OpenSSL 1.1.
// Source: https://docs.openssl.org/3.0/man3/EVP_EncryptInit/ and https://docs.openssl.org/3.0/man3/PKCS5_PBKDF2_HMAC/
typedef int (*Begin)(
  void *context, const void *type, void *engine, const unsigned char *key, const unsigned char *vector);
typedef int (*Update)(void *context, unsigned char *output, int *size, const unsigned char *bytes, int count);
typedef int (*End)(void *context, unsigned char *output, int *size);

static struct {
  void *(*make)(void);
  void (*release)(void *context);
  const void *(*gcm)(void);
  const void *(*cbc)(void);
  int (*control)(void *context, int type, int argument, void *pointer);
  Begin beginEncrypting, beginDecrypting;
  Update encrypt, decrypt;
  End endEncrypting, endDecrypting;
  const void *(*find)(const char *name);
  int (*derive)(
    const char *passphrase, int passphraseCount, const unsigned char *salt, int saltCount, int iterations,
    const void *digest, int outputCount, unsigned char *output);
  bool isComplete;
} crypto;

// EVP_CTRL_AEAD_GET_TAG and EVP_CTRL_AEAD_SET_TAG.
enum { getTag = 0x10, setTag = 0x11 };

static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen("libcrypto.so.1.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  *(void **)&crypto.make = dlsym(library, "EVP_CIPHER_CTX_new");
  *(void **)&crypto.release = dlsym(library, "EVP_CIPHER_CTX_free");
  *(void **)&crypto.gcm = dlsym(library, "EVP_aes_256_gcm");
  *(void **)&crypto.cbc = dlsym(library, "EVP_aes_256_cbc");
  *(void **)&crypto.control = dlsym(library, "EVP_CIPHER_CTX_ctrl");
  *(void **)&crypto.beginEncrypting = dlsym(library, "EVP_EncryptInit_ex");
  *(void **)&crypto.beginDecrypting = dlsym(library, "EVP_DecryptInit_ex");
  *(void **)&crypto.encrypt = dlsym(library, "EVP_EncryptUpdate");
  *(void **)&crypto.decrypt = dlsym(library, "EVP_DecryptUpdate");
  *(void **)&crypto.endEncrypting = dlsym(library, "EVP_EncryptFinal_ex");
  *(void **)&crypto.endDecrypting = dlsym(library, "EVP_DecryptFinal_ex");
  *(void **)&crypto.find = dlsym(library, "EVP_get_digestbyname");
  *(void **)&crypto.derive = dlsym(library, "PKCS5_PBKDF2_HMAC");
  crypto.isComplete = crypto.make && crypto.release && crypto.gcm && crypto.cbc && crypto.control
    && crypto.beginEncrypting && crypto.beginDecrypting && crypto.encrypt && crypto.decrypt
    && crypto.endEncrypting && crypto.endDecrypting && crypto.find && crypto.derive;
}

static bool is_loaded(void) {
  pthread_once(&loaded, load);
  return crypto.isComplete;
}

bool catena_gcm_seal(
  const unsigned char *key, const unsigned char *nonce, const unsigned char *header, size_t header_count,
  const unsigned char *bytes, size_t count, unsigned char *output, unsigned char *tag
) {
  if (!is_loaded() || header_count > INT_MAX || count > INT_MAX) return false;
  void *context = crypto.make();
  if (!context) return false;
  int size = 0;
  // The default length of the nonce is CATENA_GCM_NONCE_SIZE.
  bool done = crypto.beginEncrypting(context, crypto.gcm(), 0, key, nonce)
    && crypto.encrypt(context, 0, &size, header, (int)header_count)
    && crypto.encrypt(context, output, &size, bytes, (int)count)
    && crypto.endEncrypting(context, output + size, &size)
    && crypto.control(context, getTag, CATENA_GCM_TAG_SIZE, tag);
  crypto.release(context);
  return done;
}

bool catena_gcm_open(
  const unsigned char *key, const unsigned char *nonce, const unsigned char *header, size_t header_count,
  const unsigned char *bytes, size_t count, const unsigned char *tag, unsigned char *output
) {
  if (!is_loaded() || header_count > INT_MAX || count > INT_MAX) return false;
  void *context = crypto.make();
  if (!context) return false;
  int size = 0;
  bool done = crypto.beginDecrypting(context, crypto.gcm(), 0, key, nonce)
    && crypto.decrypt(context, 0, &size, header, (int)header_count)
    && crypto.decrypt(context, output, &size, bytes, (int)count)
    && crypto.control(context, setTag, CATENA_GCM_TAG_SIZE, (void *)tag)
    && crypto.endDecrypting(context, output + size, &size) > 0;
  crypto.release(context);
  if (!done && count) memset(output, 0, count);
  return done;
}

ptrdiff_t catena_cbc_decrypt(
  const unsigned char *key, const unsigned char *vector, const unsigned char *bytes, size_t count,
  unsigned char *output
) {
  if (!is_loaded() || !count || count > INT_MAX || count % 16) return -1;
  void *context = crypto.make();
  if (!context) return -1;
  int size = 0, rest = 0;
  bool done = crypto.beginDecrypting(context, crypto.cbc(), 0, key, vector)
    && crypto.decrypt(context, output, &size, bytes, (int)count)
    && crypto.endDecrypting(context, output + size, &rest) > 0;
  crypto.release(context);
  if (!done) memset(output, 0, count);
  return done ? size + rest : -1;
}

bool catena_pbkdf2(
  bool is_sha1, const char *passphrase, size_t passphrase_count, const unsigned char *salt, size_t salt_count,
  int iterations, unsigned char *output, size_t output_count
) {
  if (!is_loaded() || passphrase_count > INT_MAX || salt_count > INT_MAX || output_count > INT_MAX) return false;
  const void *digest = crypto.find(is_sha1 ? "SHA1" : "SHA256");
  // A passphrase of no bytes must not be a null pointer.
  return digest && iterations > 0
    && crypto.derive(
      passphrase ? passphrase : "", (int)passphrase_count, salt, (int)salt_count, iterations, digest,
      (int)output_count, output);
}
#endif
