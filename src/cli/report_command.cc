// `cyclescope report`
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/filter_rows.h"
#include "base/form_filter.h"
#include "base/input_text.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/command.h"
#include "cli/known_machines.h"
#include "cli/model_exports.h"
#include "cli/outputs.h"
#include "cyclescope/measure.h"
#include "document/json_writer.h"
#include "report/cores_csv.h"
#include "report/csv.h"
#include "report/document_text.h"
#include "report/html.h"
#include "report/site.h"
#include "report/text_style.h"
#include "report/vendor_table.h"

namespace cyclescope::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> results;
  std::string html;
  std::string site;
  std::vector<std::string> vendors;  // "NAME=FILE"
  std::string export_csv;
  std::string export_cores_csv;
  std::string export_markdown;
  std::string export_ports;
  std::string export_llvm;
  std::string filter;
  bool pairs = false;
  bool full = false;
  bool json = false;

  bool WritesFiles() const {
    return !html.empty() || !export_csv.empty() || !export_cores_csv.empty() ||
           !export_markdown.empty() || !export_ports.empty() || !export_llvm.empty();
  }
};

// A file may come from an untrusted source: nothing in it may reach the terminal but text. Colour
// is left out for that reason.
std::string SafeText(std::string_view text) {
  std::string safe;
  while (!text.empty()) safe += Printable(TakeLine(text)) + '\n';
  return safe;
}

// Reads results, and leaves of each the rows that are asked for.
class FilteredReader {
 public:
  FilteredReader(std::string expression, FormFilter filter)
      : expression_(std::move(expression)), filter_(std::move(filter)) {}

  Result<std::vector<Document>> Read(const std::vector<std::string>& paths) {
    auto documents = ReadResults(paths);
    if (!documents || expression_.empty()) return documents;
    for (Document& document : *documents) kept_ += KeepInstructions(filter_, document);
    return documents;
  }

  // A filter that selects nothing would leave a report without a word about it.
  Result<void> CheckKept() const {
    if (expression_.empty() || kept_ > 0) return {};
    return BadInput(
        fmt::format("no instruction matches '{}'", expression_),
        "the filter is looked for in the text, the mnemonic and LLVM's name of the opcode");
  }

  // The same for those that are all read at once.
  Result<std::vector<Document>> ReadAll(const std::vector<std::string>& paths) {
    auto documents = TRY(Read(paths));
    TRY(CheckKept());
    return documents;
  }

 private:
  std::string expression_;
  FormFilter filter_;
  std::size_t kept_ = 0;
};

// The rows of the one result there is.
Result<std::string> InstructionsCsvOf(std::span<const Document> documents, bool pairs) {
  const Document& document = documents.front();
  if (!document.instructions.empty())
    return pairs ? PairsCsv(document.instructions) : InstructionsCsv(document.instructions);
  return BadInput(
      fmt::format("'{}' holds no instructions", document.source),
      document.cores.empty() ? "" : "--export-cores-csv writes its latencies between cores");
}

Result<std::string> CoresCsvOf(std::span<const Document> documents) {
  const Document& document = documents.front();
  if (!document.cores.empty()) return CoresCsv(document, CoreUnit::kNanoseconds);
  return BadInput(fmt::format("'{}' holds no latencies between cores", document.source));
}

Result<std::string> MarkdownOf(std::span<const Document> documents) {
  return fmt::format("{}", fmt::join(documents | std::views::transform(ToMarkdown), "\n"));
}

// A form in which results are written to a file, and which file.
struct FileReport {
  std::string path;
  std::function<Result<std::string>(std::span<const Document> documents)> render;
};

// `paths` gets what was written.
Result<void> WriteFiles(const ReportOptions& options, FilteredReader& reader,
                        std::vector<std::string>& paths) {
  PortFormat ports = PortFormat::kCsv;
  if (!options.export_ports.empty()) {
    ports = TRY(PortFormatOf(options.export_ports));
  }
  const std::array<FileReport, 6> files = {
      {{options.html, ToHtml},
       {options.export_csv,
        [pairs = options.pairs](std::span<const Document> documents) {
          return InstructionsCsvOf(documents, pairs);
        }},
       {options.export_cores_csv, CoresCsvOf},
       {options.export_markdown, MarkdownOf},
       {options.export_ports,
        [ports](std::span<const Document> documents) {
          return ToPortFormat(documents.front(), ports);
        }},
       {options.export_llvm, [&options](std::span<const Document> documents) {
          return ToLlvm(documents.front(), options.export_llvm);
        }}}};
  const bool of_one = !options.export_csv.empty() || !options.export_cores_csv.empty() ||
                      !options.export_ports.empty() || !options.export_llvm.empty();
  if (of_one && options.results.size() > 1)
    return BadInput("a CSV file, or one of ports or for LLVM, holds one result");
  if (std::ranges::count(files, "-", &FileReport::path) > 1)
    return BadInput("standard output can hold one of them only", "give the others a file");
  for (const FileReport& file : files) {
    if (file.path.empty()) continue;
    TRY(Outputs::CheckExport(file.path));
    for (const FileReport* other = files.data(); other != &file; ++other)
      TRY(Outputs::CheckApart(other->path, file.path));
  }
  const auto documents = TRY(reader.ReadAll(options.results));
  for (const FileReport& file : files) {
    if (file.path.empty()) continue;
    const auto rendered = TRY(file.render(documents));
    TRY(Outputs::WriteFile(file.path, rendered));
    paths.push_back(file.path);
  }
  return {};
}

// Says so, unless one of them went to standard output.
Result<void> SayWritten(const std::vector<std::string>& paths) {
  if (std::ranges::find(paths, "-") != paths.end()) return {};
  return Outputs::Print(fmt::format("written: {}\n", fmt::join(paths, "\n         ")));
}

Result<void> WriteInto(const std::filesystem::path& folder, const SiteFile& file) {
  const std::filesystem::path path = folder / file.path;
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) {
    return BadInput(fmt::format("cannot make the folder '{}': {}", path.parent_path().string(),
                                error.message()));
  }
  return Outputs::WriteFile(path.string(), file.text);
}

Result<std::map<std::string, VendorTable>> ReadVendors(const std::vector<std::string>& vendors) {
  std::map<std::string, VendorTable> tables;
  for (const std::string& each : vendors) {
    const std::size_t equals = each.find('=');
    if (equals == std::string::npos || equals == 0) {
      return BadInput(fmt::format("--vendor does not say whose figures '{}' has", each),
                      "give NAME=FILE, with the machine's name as 'machines' has it");
    }
    const std::string path = each.substr(equals + 1);
    const auto text = TRY(ReadInput(path));
    auto table = TRY(VendorTable::Parse(text, std::filesystem::path(path).stem().string()));
    tables.insert_or_assign(each.substr(0, equals), std::move(table));
  }
  return tables;
}

// What each machine's model says of the loops that any machine of its architecture was measured
// with. A result that has no ports has no model. Each is read once more, with all its rows.
Result<void> PredictLoops(const std::vector<std::string>& results, SiteLoops& loops) {
  for (std::size_t machine = 0; machine < results.size(); ++machine) {
    PredictRequest request;
    for (std::string& text : loops.TextsFor(machine))
      request.block.sources.push_back({.text = std::move(text)});
    const bool is_gone = results[machine] == "-";
    if (request.block.sources.empty() || is_gone) continue;
    auto documents = TRY(ReadResults({results[machine]}));
    request.machine = std::move(documents.front());
    if (!request.machine.port_map) continue;
    const auto predicted = PredictBlocks(request);
    if (predicted) loops.AddPredictions(machine, predicted->blocks);
  }
  return {};
}

// One result after the other: all at once may be more than memory holds.
Result<void> WriteSite(const ReportOptions& options, FilteredReader& reader,
                       std::vector<std::string>& paths) {
  auto vendors = TRY(ReadVendors(options.vendors));
  Site site(std::move(vendors));
  for (const std::string& result : options.results) {
    const auto documents = TRY(reader.Read({result}));
    const auto page = TRY(site.Add(documents.front()));
    TRY(WriteInto(options.site, page));
  }
  TRY(reader.CheckKept());
  TRY(PredictLoops(options.results, site.loops()));
  for (const SiteFile& file : site.Finish()) TRY(WriteInto(options.site, file));
  paths.push_back((std::filesystem::path(options.site) / "index.html").string());
  return {};
}

Result<void> WriteAll(const ReportOptions& options, FilteredReader& reader) {
  std::vector<std::string> paths;
  if (options.WritesFiles()) TRY(WriteFiles(options, reader, paths));
  if (!options.site.empty()) TRY(WriteSite(options, reader, paths));
  return SayWritten(paths);
}

Result<void> PrintTexts(const ReportOptions& options, FilteredReader& reader) {
  const auto documents = TRY(reader.ReadAll(options.results));
  for (const Document& document : documents) {
    const auto text = TRY(DocumentText(document, {.full = options.full}, TextStyle{}));
    TRY(Outputs::Print(SafeText(text)));
  }
  return {};
}

// The result document that there is, or that a matrix from elsewhere was made into.
Result<void> PrintJson(const ReportOptions& options, FilteredReader& reader) {
  if (options.results.size() > 1) return BadInput("--json prints one result");
  const auto documents = TRY(reader.ReadAll(options.results));
  return Outputs::Print(ToJson(documents.front()));
}

Result<ExitCode> RunReport(const ReportOptions& options) {
  const bool writes = !options.site.empty() || options.WritesFiles();
  if (writes && options.json) {
    return BadInput("--json prints the result, the other options write it to files",
                    "ask for one of them");
  }
  auto filter = TRY(FormFilter::Parse(options.filter));
  FilteredReader reader(options.filter, std::move(filter));
  TRY(writes         ? WriteAll(options, reader)
      : options.json ? PrintJson(options, reader)
                     : PrintTexts(options, reader));
  return ExitCode::kDone;
}

}  // namespace

Command AddReportCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "report", "Show saved results, as text or as one HTML file",
      "  cyclescope report result.json                      as text\n"
      "  cyclescope report result.json --html result.html   one file that opens offline\n"
      "  cyclescope report a.json b.json --html both.html   two results side by side\n"
      "  cyclescope report *.json --site site               many machines, as a site\n"
      "  cyclescope report result.json --full               every row, and the code\n"
      "  cyclescope report sweep.json --filter '^fmul'      some of its rows\n"
      "  cyclescope report emerald-rapids --filter '^vpermb'  of a known machine\n");
  auto options = std::make_shared<ReportOptions>();
  app->add_option(
         "result", options->results,
         "Result documents, names that 'machines' lists, or matrices of other core-to-core "
         "tools (CSV or text)")
      ->type_name("NAME|FILE")
      ->required();
  app->add_option("--html", options->html,
                  "Write one self-contained HTML file instead of text; - is standard output")
      ->type_name("FILE");
  CLI::Option* site =
      app->add_option("--site", options->site,
                      "Write a static site over all results into a folder instead of text: "
                      "machines side by side, a page for each; opens from files and from any web "
                      "server")
          ->type_name("FOLDER");
  app->add_option("--vendor", options->vendors,
                  "For --site: figures that the vendor of the machine NAME publishes, a CSV table "
                  "with the columns asm, latency, and throughput or throughput_per_cycle; lines "
                  "before it that begin with # name the source")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false)  // results may follow
      ->needs(site);
  app->add_option(
         "--export-csv", options->export_csv,
         "Write the instructions of a result to a CSV file instead of text; - is standard output")
      ->type_name("FILE");
  AddPairsFlag(*app, options->pairs);
  app->add_option(
         "--export-cores-csv", options->export_cores_csv,
         "Write its latencies between cores to a CSV file instead of text; - is standard output")
      ->type_name("FILE");
  app->add_option("--export-markdown", options->export_markdown,
                  "Write Markdown tables to a file instead of text; - is standard output")
      ->type_name("FILE");
  AddPortExportOption(*app, options->export_ports);
  AddLlvmExportOption(*app, options->export_llvm);
  app->add_option("--filter", options->filter,
                  "Only instructions that this matches: text, mnemonic or LLVM's opcode")
      ->type_name("REGEX");
  app->add_flag("--full", options->full,
                "In text: every pair of every instruction with its code, and every matrix");
  app->add_flag("--json", options->json,
                "Print the result document; one is made of a matrix that has none");
  return {app, [options] { return RunReport(*options); }};
}

}  // namespace cyclescope::cli
