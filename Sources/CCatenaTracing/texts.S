// The files of this target as texts that end with a null character.
//
// `.incbin` finds them in the header search path of the target. `__has_include` makes them dependencies:
// a change of one of them assembles this file again.
#if !__has_include("Page/page.html") || !__has_include("Page/style.css") \
  || !__has_include("Page/script.js")
#error "a file is missing"
#endif

#if defined(__APPLE__)
#define SYMBOL(name) _##name
  .section __TEXT,__const
#else
#define SYMBOL(name) name
  .section .rodata, "a"
#endif

.macro begin name
  .globl \name
\name:
.endm

begin SYMBOL(catena_trace_page_text)
  .incbin "Page/page.html"
  .byte 0
begin SYMBOL(catena_trace_style_text)
  .incbin "Page/style.css"
  .byte 0
begin SYMBOL(catena_trace_script_text)
  .incbin "Page/script.js"
  .byte 0

#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
