// Writes the documents that tests make up, for tests that are not C++:
//   cyclescope_simulated list            the names
//   cyclescope_simulated json NAME       the document, as JSON
//   cyclescope_simulated html NAME...    the report of one document, or of several
//   cyclescope_simulated site FOLDER N FORMS [HOSTS]   a site of N results with FORMS forms each,
//   of N
//                                                 machines where no smaller number is given
#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/json_writer.h"
#include "document/testing/simulated_documents.h"
#include "document/testing/simulated_fleets.h"
#include "document/testing/simulated_surveys.h"
#include "report/html.h"
#include "report/site.h"

namespace cyclescope::testing {
namespace {

constexpr std::array<std::pair<std::string_view, Document (*)()>, 20> kMade = {{
    {"bare", BareDocument},
    {"full", FullDocument},
    {"ports", PortsDocument},
    {"anatomy", AnatomyDocument},
    {"windows", WindowsDocument},
    {"survey", SurveyDocument},
    {"later-survey", LaterSurveyDocument},
    {"two-cpus", TwoCpusDocument},
    {"hasty", HastyDocument},
    {"near-cpus", NearCpusDocument},
    {"later-near-cpus", LaterNearCpusDocument},
    {"server", ServerDocument},
    {"many-cpus", ManyCpusDocument},
    {"sweep", SweepDocument},
    {"bare-matrix", BareMatrixDocument},
    {"hostile", HostileDocument},
    {"fleet", FleetDocument},
    {"rack", RackDocument},
    {"large-fleet", LargeFleetDocument},
    {"hosts", HostsDocument},
}};

int Print(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}

int Write(const std::filesystem::path& folder, const SiteFile& file) {
  const std::filesystem::path path = folder / file.path;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream stream(path, std::ios::binary);
  stream << file.text << std::flush;
  return stream ? 0 : 1;
}

int WriteSite(const std::filesystem::path& folder, int results, std::size_t forms, int hosts) {
  Site site;
  int failures = 0;
  for (int i = 0; i < results; ++i) {
    Document document = SiteMachine(i, forms);
    document.host.name = SiteMachine(i % hosts, 0).host.name;
    failures += Write(folder, *site.Add(document));
  }
  for (const SiteFile& file : site.Finish()) failures += Write(folder, file);
  return failures;
}

int Main(std::span<char*> arguments) {
  const std::string_view what = arguments.empty() ? "" : arguments[0];
  if (what == "list") {
    for (const auto& [name, make] : kMade) fmt::print("{}\n", name);
    return 0;
  }
  if (what == "site" && (arguments.size() == 4 || arguments.size() == 5))
    return WriteSite(arguments[1], std::stoi(arguments[2]), std::stoul(arguments[3]),
                     std::stoi(arguments.size() == 5 ? arguments[4] : arguments[2]));
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
  fmt::print(stderr,
             "usage: cyclescope_simulated list | json NAME | html NAME... | site FOLDER N FORMS "
             "[HOSTS]\n");
  return 2;
}

}  // namespace
}  // namespace cyclescope::testing

int main(int argc, char** argv) {
  return cyclescope::testing::Main(std::span(argv + 1, static_cast<std::size_t>(argc - 1)));
}
