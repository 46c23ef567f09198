// `cyclescope report`
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/saved_results.h"
#include "report/document_text.h"
#include "report/html.h"
#include "report/printable.h"

namespace cyclescope::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> results;
  std::string html;
};

// A file may come from anybody: nothing in it may reach the terminal but text. Colour is left out
// for that reason.
std::string SafeText(const std::string& text) {
  std::string safe;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    safe += Printable(std::string_view(text).substr(begin, end - begin)) + '\n';
    begin = end + 1;
  }
  return safe;
}

Result<ExitCode> RunReport(const ReportOptions& options) {
  if (!options.html.empty()) {
    if (auto writable = Outputs::CheckWritable(options.html); !writable)
      return std::unexpected(writable.error());
  }
  const auto documents = ReadResults(options.results);
  if (!documents) return std::unexpected(documents.error());
  if (!options.html.empty()) {
    const auto html = ToHtml(*documents);
    if (!html) return std::unexpected(html.error());
    if (auto written = Outputs::WriteFile(options.html, *html); !written)
      return std::unexpected(written.error());
    return ExitCode::kDone;
  }
  for (const Document& document : *documents) {
    const auto text = DocumentText(document, TextStyle{});
    if (!text) return std::unexpected(text.error());
    if (auto printed = Outputs::Print(SafeText(*text)); !printed)
      return std::unexpected(printed.error());
  }
  return ExitCode::kDone;
}

}  // namespace

Command AddReportCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "report", "Show saved results, as text or as one HTML file",
      "  cyclescope report result.json                      as text\n"
      "  cyclescope report result.json --html result.html   one file that opens offline\n"
      "  cyclescope report a.json b.json --html both.html   two results side by side\n");
  auto options = std::make_shared<ReportOptions>();
  app->add_option("result", options->results,
                  "Result documents, or bare CSV matrices of core-to-core-latency")
      ->type_name("FILE")
      ->required();
  app->add_option("--html", options->html, "Write one self-contained HTML file instead of text")
      ->type_name("FILE");
  return {app, [options] { return RunReport(*options); }};
}

}  // namespace cyclescope::cli
