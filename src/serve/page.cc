#include "serve/server.h"

// As report/html_template.cc takes in its pages, which says why.
asm(".section .rodata\n"
    ".globl cyclescope_serve_page_begin\n"
    ".globl cyclescope_serve_page_end\n"
    "cyclescope_serve_page_begin:\n"
    ".incbin \"" CYCLESCOPE_SERVE_PAGE
    "\"\n"
    "cyclescope_serve_page_end:\n"
    ".text\n");

extern "C" {
extern const char cyclescope_serve_page_begin[];
extern const char cyclescope_serve_page_end[];
}

namespace cyclescope::serve {

std::string_view Page() { return {cyclescope_serve_page_begin, cyclescope_serve_page_end}; }

}  // namespace cyclescope::serve
