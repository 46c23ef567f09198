// Writes the documents that tests make up, for tests that are not C++:
//   cyclescope_made list          the names
//   cyclescope_made json NAME     the document, as JSON
#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "report/json_writer.h"
#include "report/testing/made_documents.h"

namespace cyclescope::testing {
namespace {

constexpr std::array<std::pair<std::string_view, Document (*)()>, 2> kMade = {{
    {"bare", BareDocument},
    {"full", FullDocument},
}};

int Main(const std::string_view what, const std::string_view name) {
  for (const auto& [made_name, make] : kMade) {
    if (what == "list") fmt::print("{}\n", made_name);
    if (what == "json" && name == made_name) {
      const std::string text = ToJson(make());
      return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
    }
  }
  if (what == "list") return 0;
  fmt::print(stderr, "usage: cyclescope_made list | json NAME\n");
  return 2;
}

}  // namespace
}  // namespace cyclescope::testing

int main(int argc, char** argv) {
  return cyclescope::testing::Main(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
}
