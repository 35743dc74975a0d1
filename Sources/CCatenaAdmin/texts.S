// The files of this target as texts that end with a null character.
//
// `.incbin` finds them in the header search path of the target. `__has_include` makes them dependencies:
// a change of one of them assembles this file again.
#if !__has_include("Inspector/index.html") \
  || !__has_include("Inspector/style.css") \
  || !__has_include("Inspector/elements.js") \
  || !__has_include("Inspector/server.js") \
  || !__has_include("Inspector/list.js") \
  || !__has_include("Inspector/requests.js") \
  || !__has_include("Inspector/details.js") \
  || !__has_include("Inspector/dialogs.js") \
  || !__has_include("Inspector/editor.js") \
  || !__has_include("Inspector/stubs.js") \
  || !__has_include("Inspector/state.js") \
  || !__has_include("openapi.json")
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

begin SYMBOL(catena_admin_page_text)
  .incbin "Inspector/index.html"
  .byte 0
begin SYMBOL(catena_admin_style_text)
  .incbin "Inspector/style.css"
  .byte 0
begin SYMBOL(catena_admin_script_text)
  .incbin "Inspector/elements.js"
  .incbin "Inspector/server.js"
  .incbin "Inspector/list.js"
  .incbin "Inspector/requests.js"
  .incbin "Inspector/details.js"
  .incbin "Inspector/dialogs.js"
  .incbin "Inspector/editor.js"
  .incbin "Inspector/stubs.js"
  .incbin "Inspector/state.js"
  .byte 0
begin SYMBOL(catena_admin_openapi_text)
  .incbin "openapi.json"
  .byte 0

#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
