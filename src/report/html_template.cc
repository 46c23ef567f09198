#include "report/html_template.h"

// The assembler takes the file in as it is: an array of a million numbers would cost the compiler
// seconds and a gigabyte. The names are global since a position-independent AArch64 build reaches
// local ones through a table that keeps one entry per section, and would give both the same
// address.
asm(".pushsection .rodata\n"
    ".globl cyclescope_html_template_begin\n"
    ".globl cyclescope_html_template_end\n"
    "cyclescope_html_template_begin:\n"
    ".incbin \"" CYCLESCOPE_HTML_TEMPLATE
    "\"\n"
    "cyclescope_html_template_end:\n"
    ".popsection\n");

extern "C" {
[[gnu::visibility("hidden")]] extern const char cyclescope_html_template_begin[];
[[gnu::visibility("hidden")]] extern const char cyclescope_html_template_end[];
}

namespace cyclescope {

std::string_view HtmlTemplate() {
  return {cyclescope_html_template_begin, cyclescope_html_template_end};
}

}  // namespace cyclescope
