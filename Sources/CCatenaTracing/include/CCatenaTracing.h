#pragma once

// The files of the page of a trace, which texts.S includes when it is assembled.

extern const char catena_trace_page_text[];
extern const char catena_trace_style_text[];
extern const char catena_trace_script_text[];

/// The HTML document, with places for its policy, title, style, data and script.
static inline const char *_Nonnull catena_trace_page(void) { return catena_trace_page_text; }

/// The style sheet, for light and dark color schemes, wide and narrow windows.
static inline const char *_Nonnull catena_trace_style(void) { return catena_trace_style_text; }

/// The script, which draws the waterfall from the data.
static inline const char *_Nonnull catena_trace_script(void) { return catena_trace_script_text; }
