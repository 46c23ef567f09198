// Writes the documents that tests make up, for tests that are not C++:
//   cyclescope_made list            the names
//   cyclescope_made json NAME       the document, as JSON
//   cyclescope_made html NAME...    the report of one document, or of several
#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/html.h"
#include "report/json_writer.h"
#include "report/testing/made_documents.h"
#include "report/testing/made_surveys.h"

namespace cyclescope::testing {
namespace {

constexpr std::array<std::pair<std::string_view, Document (*)()>, 10> kMade = {{
    {"bare", BareDocument},
    {"full", FullDocument},
    {"survey", SurveyDocument},
    {"later-survey", LaterSurveyDocument},
    {"two-cpus", TwoCpusDocument},
    {"server", ServerDocument},
    {"many-cpus", ManyCpusDocument},
    {"sweep", SweepDocument},
    {"bare-matrix", BareMatrixDocument},
    {"hostile", HostileDocument},
}};

int Print(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}

int Main(std::span<char*> arguments) {
  const std::string_view what = arguments.empty() ? "" : arguments[0];
  if (what == "list") {
    for (const auto& [name, make] : kMade) fmt::print("{}\n", name);
    return 0;
  }
  std::vector<Document> documents;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    for (const auto& [name, make] : kMade) {
      if (arguments[i] != name) continue;
      documents.push_back(make());
      if (documents.back().source.empty()) documents.back().source = fmt::format("{}.json", name);
    }
  }
  if (what == "json" && documents.size() == 1) return Print(ToJson(documents[0]));
  if (what == "html" && !documents.empty()) return Print(*ToHtml(documents));
  fmt::print(stderr, "usage: cyclescope_made list | json NAME | html NAME...\n");
  return 2;
}

}  // namespace
}  // namespace cyclescope::testing

int main(int argc, char** argv) {
  return cyclescope::testing::Main(std::span(argv + 1, static_cast<std::size_t>(argc - 1)));
}
