#pragma once

// The files of the admin API, which texts.S includes when it is assembled.

extern const char catena_admin_page_text[];
extern const char catena_admin_style_text[];
extern const char catena_admin_script_text[];
extern const char catena_admin_openapi_text[];

/// The HTML document of the inspector, with places for its nonce, style and script.
static inline const char *_Nonnull catena_admin_page(void) { return catena_admin_page_text; }

/// The style sheet of the inspector, for light and dark color schemes, wide and narrow windows.
static inline const char *_Nonnull catena_admin_style(void) { return catena_admin_style_text; }

/// The script of the inspector, whose parts share one scope.
static inline const char *_Nonnull catena_admin_script(void) { return catena_admin_script_text; }

/// The OpenAPI document of the admin API, without the responses that all operations have in common.
static inline const char *_Nonnull catena_admin_openapi(void) { return catena_admin_openapi_text; }
