#define _GNU_SOURCE
#include "CCatenaCurl.h"
#include "CatenaHash.h"
#include "CatenaOpenSSL.h"

#if defined(__linux__)
#include <arpa/inet.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

OpenSSL openssl;
const char *catena_authority_file, *catena_authority_folder;

static bool is_available;

// The fields of curl_version_info_data up to the sixth version.
typedef struct {
  int age;
  const char *version;
  unsigned int versionNumber;
  const char *host;
  int features;
  const char *sslVersion;
  long sslVersionNumber;
  const char *zlibVersion;
  const char *const *protocols;
  const char *ares;
  int aresNumber;
  const char *idn;
  int iconvVersion;
  const char *ssh;
  unsigned int brotliNumber;
  const char *brotli;
  unsigned int nghttp2Number;
  const char *nghttp2;
  const char *quic;
  const char *authorityFile;
  const char *authorityFolder;
} VersionInfo;
extern VersionInfo *curl_version_info(int age);

// The names of the functions in the order of the members of OpenSSL, each with a null byte at its end. A table of
// pointers would need a relocation for each, and a call for each function 60 bytes.
#define NAME(result, name, parameters) #name "\0"
static const char names[] = OPENSSL_FUNCTIONS(NAME) OPENSSL_3_FUNCTIONS(NAME);
#define ADD_ONE(result, name, parameters) +1
enum { requiredCount = OPENSSL_FUNCTIONS(ADD_ONE) };
_Static_assert(
  sizeof(OpenSSL) == (requiredCount OPENSSL_3_FUNCTIONS(ADD_ONE)) * sizeof(void *), "a member for each name");

static void load(void) {
  const VersionInfo *curl = curl_version_info(6);
#if defined(CATENA_STANDALONE)
  // A server with TLS needs OpenSSL only.
  const char *name = curl ? curl->sslVersion : "OpenSSL/3";
#else
  const char *name = curl ? curl->sslVersion : NULL;
#endif
  if (!name) return;
  // The version of OpenSSL that libcurl has been linked with. Other TLS libraries have other names.
  const char *suffix = !strncmp(name, "OpenSSL/3", 9)       ? "3"
                       : !strncmp(name, "OpenSSL/1.1.1", 13) ? "1.1"
                                                             : NULL;
  if (!suffix) return;
  char ssl[32] = "libssl.so.", crypto[32] = "libcrypto.so.";
  void *libraries[] = {
    dlopen(strcat(ssl, suffix), RTLD_NOW | RTLD_LOCAL),
    dlopen(strcat(crypto, suffix), RTLD_NOW | RTLD_LOCAL),
  };
  if (!libraries[0] || !libraries[1]) return;
  bool isComplete = true;
  const char *function = names;
  for (size_t index = 0; *function; index++, function += strlen(function) + 1) {
    void *address = dlsym(libraries[0], function);
    if (!address) address = dlsym(libraries[1], function);
    memcpy((char *)&openssl + index * sizeof address, &address, sizeof address);
    if (!address && index < requiredCount) isComplete = false;
  }
  if (curl && curl->age >= 6) {
    catena_authority_file = curl->authorityFile;
    catena_authority_folder = curl->authorityFolder;
  }
  is_available = isComplete;
}

bool catena_tls_is_available(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return is_available;
}

const char *catena_authorities_path(void) {
  return catena_tls_is_available() ? catena_authority_file : NULL;
}

// MARK: Encoding

bool catena_encode(int (*encode)(const void *, unsigned char **), const void *item, CatenaBytes *bytes) {
  int count = encode(item, NULL);
  if (count <= 0) return false;
  unsigned char *end = bytes->bytes = malloc((size_t)count);
  if (!end) return false;
  bytes->count = (size_t)encode(item, &end);
  return true;
}

static bool report(void *certificate, CatenaDERCallback each, void *context) {
  CatenaBytes der = {0};
  if (!catena_encode(openssl.i2d_X509, certificate, &der)) return false;
  each(context, der.bytes, der.count);
  free(der.bytes);
  return true;
}

void catena_stack_each(void *stack, CatenaDERCallback each, void *context) {
  int count = stack ? openssl.OPENSSL_sk_num(stack) : 0;
  for (int index = 0; index < count; index++)
    report(openssl.OPENSSL_sk_value(stack, index), each, context);
}

// MARK: Reading

static int no_password(char *buffer, int size, int forWriting, void *context) { return -1; }

/// Whether reading has ended because there is no further item, rather than because one is malformed.
static bool is_at_end(void) {
  // PEM_R_NO_START_LINE.
  bool isEnd = (openssl.ERR_peek_last_error() & 0xFFF) == 108;
  openssl.ERR_clear_error();
  return isEnd;
}

static void *bio(const void *bytes, size_t count) {
  return count > INT_MAX ? NULL : openssl.BIO_new_mem_buf(bytes ? bytes : "", (int)count);
}

int catena_certificates_read(const void *bytes, size_t count, CatenaDERCallback each, void *context) {
  if (!catena_tls_is_available()) return -1;
  openssl.ERR_clear_error();
  if (count && *(const unsigned char *)bytes == 0x30) {
    const unsigned char *end = bytes;
    void *certificate = openssl.d2i_X509(NULL, &end, (long)count);
    bool isWhole = certificate && end == (const unsigned char *)bytes + count;
    isWhole = isWhole && report(certificate, each, context);
    openssl.X509_free(certificate);
    openssl.ERR_clear_error();
    return isWhole ? 1 : -1;
  }
  void *input = bio(bytes, count), *certificate;
  int found = 0;
  while (input && (certificate = openssl.PEM_read_bio_X509(input, NULL, no_password, NULL))) {
    report(certificate, each, context);
    openssl.X509_free(certificate);
    found++;
  }
  openssl.BIO_free(input);
  return is_at_end() && found ? found : -1;
}

static char *text_of(const void *name) {
  void *output = openssl.BIO_new(openssl.BIO_s_mem());
  if (!output) return NULL;
  // The flags of RFC 2253 without the escapes of bytes beyond ASCII, and XN_FLAG_SEP_CPLUS_SPC.
  openssl.X509_NAME_print_ex(output, name, 0, 0x313 | 2 << 16 | 1 << 24);
  char *start = NULL;
  // BIO_CTRL_INFO.
  long count = openssl.BIO_ctrl(output, 3, 0, &start);
  char *text = strndup(count > 0 ? start : "", count > 0 ? (size_t)count : 0);
  openssl.BIO_free(output);
  return text;
}

static char *names_of(void *certificate) {
  // NID_subject_alt_name.
  void *names = openssl.X509_get_ext_d2i(certificate, 85, NULL, NULL);
  int count = names ? openssl.OPENSSL_sk_num(names) : 0;
  size_t size = 0;
  char *text = NULL;
  FILE *output = open_memstream(&text, &size);
  for (int index = 0; output && index < count; index++) {
    int kind = 0;
    const void *value = openssl.GENERAL_NAME_get0_value(openssl.OPENSSL_sk_value(names, index), &kind);
    // GEN_DNS and GEN_IPADD.
    if (kind != 2 && kind != 7) continue;
    const unsigned char *bytes = openssl.ASN1_STRING_get0_data(value);
    int length = openssl.ASN1_STRING_length(value);
    char address[INET6_ADDRSTRLEN];
    if (kind == 7) {
      if ((length != 4 && length != 16) ||
          !inet_ntop(length == 4 ? AF_INET : AF_INET6, bytes, address, sizeof address))
        continue;
      fputs(address, output);
    } else {
      for (int i = 0; i < length; i++) fputc(bytes[i] > 32 && bytes[i] < 127 ? bytes[i] : '?', output);
    }
    fputc('\n', output);
  }
  if (output) fclose(output);
  openssl.GENERAL_NAMES_free(names);
  return text;
}

static int64_t seconds_of(const void *time) {
  struct tm fields = {0};
  return openssl.ASN1_TIME_to_tm(time, &fields) ? timegm(&fields) : 0;
}

/// Hashes the key of a certificate.
static bool hash_certificate_key(void *certificate, unsigned char *hash) {
  CatenaBytes der = {0};
  if (!catena_encode(openssl.i2d_X509_PUBKEY, openssl.X509_get_X509_PUBKEY(certificate), &der)) return false;
  bool isHashed = catena_hash(CatenaHashSHA256, der.bytes, der.count, hash) == 32;
  free(der.bytes);
  return isHashed;
}

bool catena_certificate_read(const void *der, size_t count, CatenaCertificate *fields) {
  *fields = (CatenaCertificate){0};
  if (!catena_tls_is_available()) return false;
  const unsigned char *end = der;
  void *certificate = openssl.d2i_X509(NULL, &end, (long)count);
  openssl.ERR_clear_error();
  if (!certificate) return false;
  fields->subject = text_of(openssl.X509_get_subject_name(certificate));
  fields->issuer = text_of(openssl.X509_get_issuer_name(certificate));
  fields->names = names_of(certificate);
  fields->notBefore = seconds_of(openssl.X509_get0_notBefore(certificate));
  fields->notAfter = seconds_of(openssl.X509_get0_notAfter(certificate));
  unsigned char hash[CATENA_HASH_SIZE];
  bool isHashed = hash_certificate_key(certificate, hash);
  if (isHashed) memcpy(fields->keyHash, hash, sizeof fields->keyHash);
  openssl.X509_free(certificate);
  openssl.ERR_clear_error();
  if (isHashed && fields->subject && fields->issuer && fields->names) return true;
  catena_certificate_release(fields);
  return false;
}

void catena_certificate_release(CatenaCertificate *fields) {
  free(fields->subject);
  free(fields->issuer);
  free(fields->names);
  *fields = (CatenaCertificate){0};
}

bool catena_key_hash(const void *bytes, size_t count, unsigned char *hash) {
  if (!catena_tls_is_available() || !count) return false;
  void *certificate = NULL, *key = NULL;
  if (*(const unsigned char *)bytes == 0x30) {
    const unsigned char *end = bytes;
    certificate = openssl.d2i_X509(NULL, &end, (long)count);
    end = bytes;
    if (!certificate) key = openssl.d2i_PUBKEY(NULL, &end, (long)count);
  } else {
    void *input = bio(bytes, count);
    certificate = input ? openssl.PEM_read_bio_X509(input, NULL, no_password, NULL) : NULL;
    openssl.BIO_free(input);
    input = certificate ? NULL : bio(bytes, count);
    key = input ? openssl.PEM_read_bio_PUBKEY(input, NULL, no_password, NULL) : NULL;
    openssl.BIO_free(input);
  }
  unsigned char result[CATENA_HASH_SIZE];
  CatenaBytes der = {0};
  bool isHashed = certificate ? hash_certificate_key(certificate, result)
                              : key && catena_encode(openssl.i2d_PUBKEY, key, &der) &&
                                  catena_hash(CatenaHashSHA256, der.bytes, der.count, result) == 32;
  if (isHashed) memcpy(hash, result, 32);
  free(der.bytes);
  openssl.X509_free(certificate);
  openssl.EVP_PKEY_free(key);
  openssl.ERR_clear_error();
  return isHashed;
}

// MARK: Stores

CatenaStore *catena_store_make(void) {
  void *store = catena_tls_is_available() ? openssl.X509_STORE_new() : NULL;
  // X509_V_FLAG_TRUSTED_FIRST and PARTIAL_CHAIN: any certificate of the store ends a chain.
  if (store) openssl.X509_STORE_set_flags(store, 0x8000 | 0x80000);
  return store;
}

void catena_store_free(CatenaStore *store) {
  if (store) openssl.X509_STORE_free(store);
}

bool catena_store_add(CatenaStore *store, const void *der, size_t count) {
  const unsigned char *end = der;
  void *certificate = openssl.d2i_X509(NULL, &end, (long)count);
  bool isAdded = certificate && openssl.X509_STORE_add_cert(store, certificate);
  openssl.X509_free(certificate);
  openssl.ERR_clear_error();
  return isAdded;
}

bool catena_store_add_system(CatenaStore *store) {
  bool isAdded = false;
  if (catena_authority_file) isAdded = openssl.X509_STORE_load_locations(store, catena_authority_file, NULL);
  if (catena_authority_folder)
    isAdded = openssl.X509_STORE_load_locations(store, NULL, catena_authority_folder) || isAdded;
  if (!isAdded) isAdded = openssl.X509_STORE_set_default_paths(store);
  openssl.ERR_clear_error();
  return isAdded;
}

int catena_store_add_lists(CatenaStore *store, const void *bytes, size_t count, bool forWholeChain) {
  int found = 0;
  bool isWellFormed = true;
  void *list;
  openssl.ERR_clear_error();
  if (count && *(const unsigned char *)bytes == 0x30) {
    const unsigned char *end = bytes;
    list = openssl.d2i_X509_CRL(NULL, &end, (long)count);
    isWellFormed = list && openssl.X509_STORE_add_crl(store, list);
    found = 1;
    openssl.X509_CRL_free(list);
  } else {
    void *input = bio(bytes, count);
    while (input && (list = openssl.PEM_read_bio_X509_CRL(input, NULL, no_password, NULL))) {
      isWellFormed = openssl.X509_STORE_add_crl(store, list) && isWellFormed;
      openssl.X509_CRL_free(list);
      found++;
    }
    openssl.BIO_free(input);
    isWellFormed = is_at_end() && isWellFormed;
  }
  openssl.ERR_clear_error();
  if (!isWellFormed || !found) return -1;
  // X509_V_FLAG_CRL_CHECK and CRL_CHECK_ALL.
  openssl.X509_STORE_set_flags(store, forWholeChain ? 4 | 8 : 4);
  return found;
}

// MARK: Identities

struct CatenaIdentity {
  void *certificate;
  void *key;
  /// A stack of the issuers' certificates.
  void *chain;
};

typedef struct {
  const char *password;
  bool isUsed;
} Password;

static int give_password(char *buffer, int size, int forWriting, void *context) {
  Password *password = context;
  password->isUsed = true;
  if (!password->password) return -1;
  size_t count = strlen(password->password);
  if (count > (size_t)size) return -1;
  memcpy(buffer, password->password, count);
  return (int)count;
}

static void *read_key(const void *bytes, size_t count, Password *password) {
  void *key = NULL, *input = NULL;
  if (count && *(const unsigned char *)bytes == 0x30) {
    const unsigned char *end = bytes;
    key = openssl.d2i_AutoPrivateKey(NULL, &end, (long)count);
    input = key ? NULL : bio(bytes, count);
    if (input) key = openssl.d2i_PKCS8PrivateKey_bio(input, NULL, give_password, password);
  } else {
    input = bio(bytes, count);
    if (input) key = openssl.PEM_read_bio_PrivateKey(input, NULL, give_password, password);
  }
  openssl.BIO_free(input);
  openssl.ERR_clear_error();
  return key;
}

static void add_to_chain(void *context, const unsigned char *bytes, size_t count) {
  CatenaIdentity *identity = context;
  void *certificate = openssl.d2i_X509(NULL, &bytes, (long)count);
  if (!certificate) return;
  if (!identity->certificate)
    identity->certificate = certificate;
  else if (!identity->chain || !openssl.OPENSSL_sk_push(identity->chain, certificate))
    openssl.X509_free(certificate);
}

void catena_identity_free(CatenaIdentity *identity) {
  if (!identity) return;
  openssl.X509_free(identity->certificate);
  openssl.EVP_PKEY_free(identity->key);
  if (identity->chain) openssl.OPENSSL_sk_pop_free(identity->chain, openssl.X509_free);
  free(identity);
}

static CatenaIdentity *make_identity(void) {
  CatenaIdentity *identity = calloc(1, sizeof *identity);
  if (identity) identity->chain = openssl.OPENSSL_sk_new_null();
  return identity;
}

/// Returns an identity with a certificate and a key, if they belong together.
static CatenaIdentityResult finish(CatenaIdentity *new, CatenaIdentity **identity) {
  bool fits = openssl.X509_check_private_key(new->certificate, new->key) == 1;
  openssl.ERR_clear_error();
  if (fits)
    *identity = new;
  else
    catena_identity_free(new);
  return fits ? CatenaIdentityResultOK : CatenaIdentityResultKeyMismatch;
}

CatenaIdentityResult catena_identity_make(
  const void *certificate, size_t certificateCount, const void *key, size_t keyCount,
  const char *text, CatenaIdentity **identity) {
  CatenaIdentity *new = catena_tls_is_available() ? make_identity() : NULL;
  if (!new || catena_certificates_read(certificate, certificateCount, add_to_chain, new) < 1 ||
      !new->certificate) {
    catena_identity_free(new);
    return CatenaIdentityResultBadCertificate;
  }
  Password password = {text, false};
  new->key = read_key(key, keyCount, &password);
  if (new->key) return finish(new, identity);
  catena_identity_free(new);
  if (!password.isUsed) return CatenaIdentityResultBadKey;
  return text ? CatenaIdentityResultPasswordWrong : CatenaIdentityResultPasswordMissing;
}

/// The context of the ciphers of old archives, which the default one may lack, or null.
static void *legacy_library;

static void load_legacy(void) {
  if (!openssl.OSSL_LIB_CTX_new || !openssl.OSSL_PROVIDER_load || !openssl.PKCS12_init_ex) return;
  void *library = openssl.OSSL_LIB_CTX_new();
  if (library && openssl.OSSL_PROVIDER_load(library, "legacy") && openssl.OSSL_PROVIDER_load(library, "default"))
    legacy_library = library;
}

/// Returns a copy of a key in the default context.
static void *copy_key(void *key) {
  CatenaBytes der = {0};
  void *copy = NULL;
  if (key && catena_encode(openssl.i2d_PrivateKey, key, &der)) {
    const unsigned char *end = der.bytes;
    copy = openssl.d2i_AutoPrivateKey(NULL, &end, (long)der.count);
    explicit_bzero(der.bytes, der.count);
  }
  free(der.bytes);
  openssl.EVP_PKEY_free(key);
  return copy;
}

CatenaIdentityResult catena_identity_unpack(
  const void *bytes, size_t count, const char *password, CatenaIdentity **identity) {
  if (!catena_tls_is_available()) return CatenaIdentityResultBadArchive;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_legacy);
  CatenaIdentityResult result = CatenaIdentityResultBadArchive;
  for (int attempt = 0; attempt < (legacy_library ? 2 : 1) && result == CatenaIdentityResultBadArchive; attempt++) {
    void *input = bio(bytes, count);
    // NID_pkcs7_data.
    void *archive = attempt ? openssl.PKCS12_init_ex(21, legacy_library, NULL) : NULL;
    void *read = input ? openssl.d2i_PKCS12_bio(input, &archive) : NULL;
    openssl.BIO_free(input);
    if (!read) {
      openssl.ERR_clear_error();
      return CatenaIdentityResultBadArchive;
    }
    bool isOpen = openssl.PKCS12_verify_mac(read, password ? password : "", -1) ||
                  (!password && openssl.PKCS12_verify_mac(read, NULL, 0));
    void *key = NULL, *certificate = NULL, *chain = NULL;
    if (!isOpen) {
      result = password ? CatenaIdentityResultPasswordWrong : CatenaIdentityResultPasswordMissing;
    } else if (openssl.PKCS12_parse(read, password ? password : "", &key, &certificate, &chain)) {
      CatenaIdentity *new = make_identity();
      if (new && certificate) report(certificate, add_to_chain, new);
      if (new) catena_stack_each(chain, add_to_chain, new);
      if (new) new->key = copy_key(key);
      if (new && new->certificate && new->key) {
        result = finish(new, identity);
      } else {
        catena_identity_free(new);
        result = CatenaIdentityResultBadKey;
      }
      openssl.X509_free(certificate);
      if (chain) openssl.OPENSSL_sk_pop_free(chain, openssl.X509_free);
    }
    openssl.PKCS12_free(read);
    openssl.ERR_clear_error();
  }
  return result;
}

void catena_identity_certificate(CatenaIdentity *identity, CatenaDERCallback each, void *context) {
  report(identity->certificate, each, context);
}

bool catena_tls_context_use(CatenaTLSContext *tls, CatenaIdentity *identity) {
  if (openssl.SSL_CTX_use_certificate(tls, identity->certificate) != 1 ||
      openssl.SSL_CTX_use_PrivateKey(tls, identity->key) != 1)
    return false;
  int count = identity->chain ? openssl.OPENSSL_sk_num(identity->chain) : 0;
  for (int index = 0; index < count; index++) {
    // SSL_CTX_add1_chain_cert.
    if (!openssl.SSL_CTX_ctrl(tls, 89, 1, openssl.OPENSSL_sk_value(identity->chain, index))) return false;
  }
  return true;
}
#endif
