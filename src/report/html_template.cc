#include <cassert>
#include <cstddef>

#include "document/packed.h"
#include "report/html.h"

// The assembler takes the file in as it is: an array of a million numbers would cost the compiler
// seconds and a gigabyte. The names are global since a position-independent AArch64 build reaches
// local ones through a table that keeps one entry per section, and would give both the same
// address.
asm(".section .rodata\n"
    ".globl cyclescope_html_template_begin\n"
    ".globl cyclescope_html_template_end\n"
    "cyclescope_html_template_begin:\n"
    ".incbin \"" CYCLESCOPE_HTML_TEMPLATE
    "\"\n"
    "cyclescope_html_template_end:\n"
    ".globl cyclescope_site_template_begin\n"
    ".globl cyclescope_site_template_end\n"
    "cyclescope_site_template_begin:\n"
    ".incbin \"" CYCLESCOPE_SITE_TEMPLATE
    "\"\n"
    "cyclescope_site_template_end:\n"
    ".text\n");

extern "C" {
extern const char cyclescope_html_template_begin[];
extern const char cyclescope_html_template_end[];
extern const char cyclescope_site_template_begin[];
extern const char cyclescope_site_template_end[];
}

namespace cyclescope {

std::string_view HtmlTemplate() {
  return {cyclescope_html_template_begin, cyclescope_html_template_end};
}

std::string_view SiteTemplate() {
  return {cyclescope_site_template_begin, cyclescope_site_template_end};
}

std::string PageWith(std::string_view page_template, std::string_view data) {
  // Where web/src/page.html wants it.
  constexpr std::string_view kMarker = "@CYCLESCOPE_DATA@";
  const std::size_t marker = page_template.find(kMarker);
  assert(marker != std::string_view::npos);
  std::string page(page_template.substr(0, marker));
  page += Packed(data);
  page += page_template.substr(marker + kMarker.size());
  return page;
}

}  // namespace cyclescope
