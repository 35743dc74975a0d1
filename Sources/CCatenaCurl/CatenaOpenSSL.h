// The functions of OpenSSL that Catena calls, with prototypes of our own, because its headers may be missing.
//
// They are loaded at run time from the libraries that libcurl uses. All have had these types since OpenSSL 1.1.1.
// Source: https://docs.openssl.org/3.0/man3/.
#pragma once

#if defined(__linux__)
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef int (*PasswordCallback)(char *buffer, int size, int forWriting, void *context);
typedef void (*ExtraDataFree)(
  void *parent, void *pointer, void *data, int index, long number, void *argument);

// F(result, name, parameters)
#define OPENSSL_FUNCTIONS(F)                                                                      \
  F(long, SSL_CTX_ctrl, (void *context, int command, long number, void *pointer))                 \
  F(long, SSL_CTX_callback_ctrl, (void *context, int command, void (*callback)(void)))            \
  F(uint64_t, SSL_CTX_get_options, (const void *context))                                         \
  F(uint64_t, SSL_CTX_clear_options, (void *context, uint64_t options))                           \
  F(void, SSL_CTX_set_cert_store, (void *context, void *store))                                   \
  F(void, SSL_CTX_set_cert_verify_callback,                                                       \
    (void *context, int (*verify)(void *, void *), void *argument))                               \
  F(void, SSL_CTX_set_verify, (void *context, int mode, void *callback))                          \
  F(void, SSL_CTX_set_security_level, (void *context, int level))                                 \
  F(int, SSL_CTX_use_certificate, (void *context, void *certificate))                             \
  F(int, SSL_CTX_use_PrivateKey, (void *context, void *key))                                      \
  F(int, SSL_CTX_set_ex_data, (void *context, int index, void *data))                             \
  F(void *, SSL_CTX_get_ex_data, (const void *context, int index))                                \
  F(void, SSL_CTX_set_alpn_select_cb,                                                             \
    (void *context,                                                                               \
     int (*select)(                                                                               \
       void *, const unsigned char **, unsigned char *, const unsigned char *, unsigned, void *), \
     void *argument))                                                                             \
  F(int, SSL_CTX_set_session_id_context, (void *context, const unsigned char *id, unsigned size)) \
  F(void *, SSL_CTX_new, (const void *method))                                                    \
  F(void, SSL_CTX_free, (void *context))                                                          \
  F(const void *, TLS_server_method, (void))                                                      \
  F(const void *, TLS_client_method, (void))                                                      \
  F(void *, X509_STORE_CTX_get0_param, (void *verification))                                      \
  F(int, X509_VERIFY_PARAM_get_auth_level, (const void *parameters))                              \
  F(void, X509_VERIFY_PARAM_set_auth_level, (void *parameters, int level))                        \
  F(void *, SSL_new, (void *context))                                                             \
  F(void, SSL_free, (void *ssl))                                                                  \
  F(int, SSL_set_fd, (void *ssl, int descriptor))                                                 \
  F(void, SSL_set_accept_state, (void *ssl))                                                      \
  F(int, SSL_read, (void *ssl, void *buffer, int count))                                          \
  F(int, SSL_write, (void *ssl, const void *bytes, int count))                                    \
  F(int, SSL_shutdown, (void *ssl))                                                               \
  F(int, SSL_get_error, (const void *ssl, int result))                                            \
  F(int, SSL_is_init_finished, (const void *ssl))                                                 \
  F(int, SSL_session_reused, (const void *ssl))                                                   \
  F(long, SSL_ctrl, (void *ssl, int command, long number, void *pointer))                         \
  F(void *, SSL_get_SSL_CTX, (const void *ssl))                                                   \
  F(const char *, SSL_get_version, (const void *ssl))                                             \
  F(const void *, SSL_get_current_cipher, (const void *ssl))                                      \
  F(const char *, SSL_CIPHER_get_name, (const void *cipher))                                      \
  F(void, SSL_get0_alpn_selected,                                                                 \
    (const void *ssl, const unsigned char **name, unsigned *size))                                \
  F(const char *, SSL_get_servername, (const void *ssl, int type))                                \
  F(void *, SSL_get0_verified_chain, (const void *ssl))                                           \
  F(void *, SSL_get_peer_cert_chain, (const void *ssl))                                           \
  F(int, SSL_set_ex_data, (void *ssl, int index, void *data))                                     \
  F(void *, SSL_get_ex_data, (const void *ssl, int index))                                        \
  F(int, SSL_get_ex_data_X509_STORE_CTX_idx, (void))                                              \
  F(int, CRYPTO_get_ex_new_index,                                                                 \
    (int kind, long number, void *argument, void *make, void *copy, ExtraDataFree release))       \
  F(void *, CRYPTO_malloc, (size_t count, const char *file, int line))                            \
  F(void, CRYPTO_free, (void *pointer, const char *file, int line))                               \
  F(int, X509_verify_cert, (void *context))                                                       \
  F(void *, X509_STORE_CTX_get_ex_data, (void *context, int index))                               \
  F(void *, X509_STORE_CTX_get0_store, (void *context))                                           \
  F(int, X509_STORE_CTX_get_error, (void *context))                                               \
  F(void, X509_STORE_CTX_set_error, (void *context, int error))                                   \
  F(void *, X509_STORE_CTX_get0_chain, (void *context))                                           \
  F(void *, X509_STORE_CTX_get0_untrusted, (void *context))                                       \
  F(void *, X509_STORE_CTX_get0_cert, (void *context))                                            \
  F(const char *, X509_verify_cert_error_string, (long error))                                    \
  F(int, X509_check_host,                                                                         \
    (void *certificate, const char *name, size_t count, unsigned flags, char **peer))             \
  F(int, X509_check_ip_asc, (void *certificate, const char *address, unsigned flags))             \
  F(int, X509_check_private_key, (const void *certificate, const void *key))                      \
  F(void *, X509_STORE_new, (void))                                                               \
  F(void, X509_STORE_free, (void *store))                                                         \
  F(int, X509_STORE_up_ref, (void *store))                                                        \
  F(int, X509_STORE_add_cert, (void *store, void *certificate))                                   \
  F(int, X509_STORE_add_crl, (void *store, void *list))                                           \
  F(int, X509_STORE_set_flags, (void *store, unsigned long flags))                                \
  F(int, X509_STORE_load_locations, (void *store, const char *file, const char *folder))          \
  F(int, X509_STORE_set_default_paths, (void *store))                                             \
  F(void *, X509_new, (void))                                                                     \
  F(void, X509_free, (void *certificate))                                                         \
  F(void *, d2i_X509, (void **certificate, const unsigned char **bytes, long count))              \
  F(int, i2d_X509, (const void *certificate, unsigned char **bytes))                              \
  F(void *, X509_get_subject_name, (const void *certificate))                                     \
  F(void *, X509_get_issuer_name, (const void *certificate))                                      \
  F(int, X509_set_subject_name, (void *certificate, const void *name))                            \
  F(int, X509_set_issuer_name, (void *certificate, const void *name))                             \
  F(int, X509_set_version, (void *certificate, long version))                                     \
  F(int, X509_set_pubkey, (void *certificate, void *key))                                         \
  F(void *, X509_get_serialNumber, (void *certificate))                                           \
  F(const void *, X509_get0_notBefore, (const void *certificate))                                 \
  F(const void *, X509_get0_notAfter, (const void *certificate))                                  \
  F(void *, X509_getm_notBefore, (const void *certificate))                                       \
  F(void *, X509_getm_notAfter, (const void *certificate))                                        \
  F(void *, X509_get_X509_PUBKEY, (const void *certificate))                                      \
  F(int, i2d_X509_PUBKEY, (const void *key, unsigned char **bytes))                               \
  F(void *, X509_get_ext_d2i, (const void *certificate, int kind, int *critical, int *index))     \
  F(int, X509_add_ext, (void *certificate, void *extension, int position))                        \
  F(int, X509_sign, (void *certificate, void *key, const void *hash))                             \
  F(void, X509V3_set_ctx,                                                                         \
    (void *context, void *issuer, void *subject, void *request, void *list, int flags))           \
  F(void *, X509V3_EXT_conf_nid, (void *config, void *context, int kind, const char *value))      \
  F(void, X509_EXTENSION_free, (void *extension))                                                 \
  F(int, X509_NAME_add_entry_by_txt,                                                              \
    (void *name, const char *field, int type, const unsigned char *bytes, int count,              \
     int location, int set))                                                                      \
  F(int, X509_NAME_print_ex, (void *output, const void *name, int indent, unsigned long flags))   \
  F(const void *, GENERAL_NAME_get0_value, (const void *name, int *kind))                         \
  F(void, GENERAL_NAMES_free, (void *names))                                                      \
  F(const unsigned char *, ASN1_STRING_get0_data, (const void *string))                           \
  F(int, ASN1_STRING_length, (const void *string))                                                \
  F(int, ASN1_STRING_set, (void *string, const void *bytes, int count))                           \
  F(int, ASN1_TIME_to_tm, (const void *time, struct tm *fields))                                  \
  F(void *, ASN1_TIME_set, (void *time, time_t seconds))                                          \
  F(void *, ASN1_TIME_adj, (void *time, time_t seconds, int days, long offset))                   \
  F(void, ASN1_STRING_free, (void *string))                                                       \
  F(void *, ASN1_GENERALIZEDTIME_set, (void *time, time_t seconds))                               \
  F(void *, ASN1_INTEGER_dup, (const void *number))                                               \
  F(void *, X509_CRL_new, (void))                                                                 \
  F(void, X509_CRL_free, (void *list))                                                            \
  F(void *, d2i_X509_CRL, (void **list, const unsigned char **bytes, long count))                 \
  F(int, i2d_X509_CRL, (const void *list, unsigned char **bytes))                                 \
  F(int, X509_CRL_set_version, (void *list, long version))                                        \
  F(int, X509_CRL_set_issuer_name, (void *list, const void *name))                                \
  F(int, X509_CRL_set1_lastUpdate, (void *list, const void *time))                                \
  F(int, X509_CRL_set1_nextUpdate, (void *list, const void *time))                                \
  F(int, X509_CRL_add0_revoked, (void *list, void *entry))                                        \
  F(int, X509_CRL_sort, (void *list))                                                             \
  F(int, X509_CRL_sign, (void *list, void *key, const void *hash))                                \
  F(void *, X509_REVOKED_new, (void))                                                             \
  F(int, X509_REVOKED_set_serialNumber, (void *entry, void *number))                              \
  F(int, X509_REVOKED_set_revocationDate, (void *entry, void *time))                              \
  F(void *, BIO_new_mem_buf, (const void *bytes, int count))                                      \
  F(const void *, BIO_s_mem, (void))                                                              \
  F(void *, BIO_new, (const void *kind))                                                          \
  F(int, BIO_free, (void *bio))                                                                   \
  F(long, BIO_ctrl, (void *bio, int command, long number, void *pointer))                         \
  F(void *, PEM_read_bio_X509,                                                                    \
    (void *bio, void **certificate, PasswordCallback password, void *context))                    \
  F(void *, PEM_read_bio_X509_CRL,                                                                \
    (void *bio, void **list, PasswordCallback password, void *context))                           \
  F(void *, PEM_read_bio_PUBKEY, (void *bio, void **key, PasswordCallback password, void *context)) \
  F(void *, PEM_read_bio_PrivateKey,                                                              \
    (void *bio, void **key, PasswordCallback password, void *context))                            \
  F(int, PEM_write_bio_PKCS8PrivateKey,                                                           \
    (void *bio, const void *key, const void *cipher, const char *password, int count,             \
     PasswordCallback callback, void *context))                                                   \
  F(void *, d2i_PUBKEY, (void **key, const unsigned char **bytes, long count))                    \
  F(int, i2d_PUBKEY, (const void *key, unsigned char **bytes))                                    \
  F(void *, d2i_AutoPrivateKey, (void **key, const unsigned char **bytes, long count))            \
  F(int, i2d_PrivateKey, (const void *key, unsigned char **bytes))                                \
  F(void *, d2i_PKCS8PrivateKey_bio,                                                              \
    (void *bio, void **key, PasswordCallback password, void *context))                            \
  F(void, EVP_PKEY_free, (void *key))                                                             \
  F(void *, EVP_PKEY_CTX_new_id, (int kind, void *engine))                                        \
  F(void, EVP_PKEY_CTX_free, (void *context))                                                     \
  F(int, EVP_PKEY_keygen_init, (void *context))                                                   \
  F(int, EVP_PKEY_CTX_ctrl,                                                                       \
    (void *context, int kind, int operation, int command, int number, void *pointer))             \
  F(int, EVP_PKEY_keygen, (void *context, void **key))                                            \
  F(const void *, EVP_sha256, (void))                                                             \
  F(const void *, EVP_aes_256_cbc, (void))                                                        \
  F(void *, EVP_PKEY2PKCS8, (const void *key))                                                    \
  F(int, i2d_PKCS8_PRIV_KEY_INFO, (const void *info, unsigned char **bytes))                      \
  F(void, PKCS8_PRIV_KEY_INFO_free, (void *info))                                                 \
  F(void *, d2i_PKCS12_bio, (void *bio, void **archive))                                          \
  F(int, i2d_PKCS12, (const void *archive, unsigned char **bytes))                                \
  F(int, PKCS12_parse,                                                                            \
    (void *archive, const char *password, void **key, void **certificate, void **chain))          \
  F(int, PKCS12_verify_mac, (void *archive, const char *password, int count))                     \
  F(void *, PKCS12_create,                                                                        \
    (const char *password, const char *name, void *key, void *certificate, void *chain,           \
     int keyCipher, int certificateCipher, int iterations, int macIterations, int keyUse))        \
  F(void, PKCS12_free, (void *archive))                                                           \
  F(void *, d2i_OCSP_RESPONSE, (void **response, const unsigned char **bytes, long count))        \
  F(int, i2d_OCSP_RESPONSE, (const void *response, unsigned char **bytes))                        \
  F(void, OCSP_RESPONSE_free, (void *response))                                                   \
  F(int, OCSP_response_status, (void *response))                                                  \
  F(void *, OCSP_response_get1_basic, (void *response))                                           \
  F(void *, OCSP_response_create, (int status, void *basic))                                      \
  F(void *, OCSP_BASICRESP_new, (void))                                                           \
  F(void, OCSP_BASICRESP_free, (void *basic))                                                     \
  F(int, OCSP_basic_verify, (void *basic, void *chain, void *store, unsigned long flags))         \
  F(int, OCSP_basic_sign,                                                                         \
    (void *basic, void *certificate, void *key, const void *hash, void *others,                   \
     unsigned long flags))                                                                        \
  F(void *, OCSP_basic_add1_status,                                                               \
    (void *basic, void *id, int status, int reason, void *revoked, void *from, void *until))      \
  F(void *, OCSP_cert_to_id, (const void *hash, const void *certificate, const void *issuer))     \
  F(void, OCSP_CERTID_free, (void *id))                                                           \
  F(int, OCSP_resp_find_status,                                                                   \
    (void *basic, void *id, int *status, int *reason, void **revoked, void **from, void **until)) \
  F(int, OCSP_check_validity, (void *from, void *until, long tolerance, long maximumAge))         \
  F(int, OPENSSL_sk_num, (const void *stack))                                                     \
  F(void *, OPENSSL_sk_value, (const void *stack, int index))                                     \
  F(void *, OPENSSL_sk_new_null, (void))                                                          \
  F(int, OPENSSL_sk_push, (void *stack, const void *item))                                        \
  F(void, OPENSSL_sk_free, (void *stack))                                                         \
  F(void, OPENSSL_sk_pop_free, (void *stack, void (*release)(void *)))                            \
  F(unsigned long, ERR_get_error, (void))                                                         \
  F(unsigned long, ERR_peek_last_error, (void))                                                   \
  F(const char *, ERR_reason_error_string, (unsigned long error))                                 \
  F(void, ERR_clear_error, (void))                                                                \
  F(int, RAND_bytes, (unsigned char *bytes, int count))

// The functions that only OpenSSL 3 has, for archives with old ciphers.
#define OPENSSL_3_FUNCTIONS(F)                                                                    \
  F(void *, OSSL_LIB_CTX_new, (void))                                                             \
  F(void *, OSSL_PROVIDER_load, (void *library, const char *name))                                \
  F(void *, PKCS12_init_ex, (int mode, void *library, const char *properties))

#define OPENSSL_POINTER(result, name, parameters) result(*name) parameters;

typedef struct {
  OPENSSL_FUNCTIONS(OPENSSL_POINTER)
  OPENSSL_3_FUNCTIONS(OPENSSL_POINTER)
} OpenSSL;

/// The functions, once catena_tls_is_available() has returned true.
extern OpenSSL openssl;

/// The paths of the system's authorities, as libcurl has been built with them, or null.
extern const char *catena_authority_file, *catena_authority_folder;
#endif
