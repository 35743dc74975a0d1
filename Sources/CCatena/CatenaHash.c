#include "CatenaHash.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>

// The functions of libcrypto, whose headers may be missing. They have had these types since OpenSSL 1.0.
// Source: https://docs.openssl.org/3.0/man3/EVP_DigestInit/ and https://docs.openssl.org/3.0/man3/HMAC/
static struct {
  const void *(*find)(const char *name);
  int (*run)(
    const void *bytes, size_t count, unsigned char *output, unsigned int *size, const void *type,
    void *engine);
  unsigned char *(*authenticate)(
    const void *type, const void *key, int keySize, const unsigned char *bytes, size_t count,
    unsigned char *output, unsigned int *size);
  void *(*make)(void);
  int (*begin)(void *context, const void *type, void *engine);
  int (*add)(void *context, const void *bytes, size_t count);
  int (*end)(void *context, unsigned char *output, unsigned int *size);
  void (*release)(void *context);
} crypto;

static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen("libcrypto.so.1.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  *(void **)&crypto.find = dlsym(library, "EVP_get_digestbyname");
  *(void **)&crypto.run = dlsym(library, "EVP_Digest");
  *(void **)&crypto.authenticate = dlsym(library, "HMAC");
  *(void **)&crypto.make = dlsym(library, "EVP_MD_CTX_new");
  *(void **)&crypto.begin = dlsym(library, "EVP_DigestInit_ex");
  *(void **)&crypto.add = dlsym(library, "EVP_DigestUpdate");
  *(void **)&crypto.end = dlsym(library, "EVP_DigestFinal_ex");
  *(void **)&crypto.release = dlsym(library, "EVP_MD_CTX_free");
}

static const char *name_of(CatenaHash hash) {
  switch (hash) {
    case CatenaHashMD5: return "MD5";
    case CatenaHashSHA1: return "SHA1";
    case CatenaHashSHA256: return "SHA256";
    case CatenaHashSHA512: return "SHA512";
    case CatenaHashSHA512_256: return "SHA512-256";
  }
  return 0;
}

size_t catena_hash(CatenaHash hash, const void *bytes, size_t count, unsigned char *output) {
  pthread_once(&loaded, load);
  if (!crypto.find || !crypto.run) return 0;
  const char *name = name_of(hash);
  const void *type = name ? crypto.find(name) : 0;
  unsigned int size = 0;
  if (!type || !crypto.run(bytes, count, output, &size, type, 0)) return 0;
  return size;
}

void *catena_hash_begin(CatenaHash hash) {
  pthread_once(&loaded, load);
  if (!crypto.find || !crypto.make || !crypto.begin || !crypto.add || !crypto.end || !crypto.release) return 0;
  const char *name = name_of(hash);
  const void *type = name ? crypto.find(name) : 0;
  void *context = type ? crypto.make() : 0;
  if (!context || crypto.begin(context, type, 0)) return context;
  crypto.release(context);
  return 0;
}

bool catena_hash_add(void *context, const void *bytes, size_t count) {
  return crypto.add(context, bytes, count) != 0;
}

size_t catena_hash_end(void *context, unsigned char *output) {
  unsigned int size = 0;
  return crypto.end(context, output, &size) ? size : 0;
}

void catena_hash_release(void *context) { crypto.release(context); }

size_t catena_hmac_sha256(
  const void *key, size_t key_count, const void *bytes, size_t count, unsigned char *output
) {
  pthread_once(&loaded, load);
  if (!crypto.find || !crypto.authenticate || key_count > INT_MAX) return 0;
  const void *type = crypto.find("SHA256");
  unsigned int size = 0;
  // A key of no bytes must not be a null pointer, which would mean the key of an earlier call.
  const void *start = key ? key : "";
  if (!type || !crypto.authenticate(type, start, (int)key_count, bytes, count, output, &size)) return 0;
  return size;
}
#endif
