#include "document/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "cyclescope/result/names.h"
#include "document/csv_matrix_reader.h"
#include "document/json_cursor.h"
#include "document/json_skim.h"
#include "document/packed.h"

namespace cyclescope {
namespace json {
namespace {

// Visits descriptions (result/describe.h) and fills their members from the object that `at` is.
// What is missing or wrong goes into the cursor's complaint.
class Reader {
 public:
  explicit Reader(const Cursor& at) : at_(at) {}

  void Struct(std::string_view /*name*/, std::string_view /*sentence*/) {}

  template <typename T>
  void Required(std::string_view key, T& value, std::string_view /*sentence*/,
                FieldFacts /*facts*/ = {}) {
    at_.Required(key, value);
  }

  template <typename T>
  void Always(std::string_view key, T& value, std::string_view /*sentence*/,
              FieldFacts /*facts*/ = {}) {
    at_.Optional(key, value);
  }

  template <typename T>
  void Optional(std::string_view key, T& value, std::string_view /*sentence*/,
                FieldFacts /*facts*/ = {}) {
    at_.Optional(key, value);
  }

  void Beside(std::string_view key, Estimate& estimate, std::string_view /*sentence*/) {
    at_.Required(key, estimate.value);
    DescribeUncertainty(*this, estimate);
    if (estimate.low > estimate.high) {
      at_.Complain(fmt::format("has low {} above high {}", estimate.low, estimate.high));
    }
  }

  // The value tells whether there is an estimate.
  void Beside(std::string_view key, std::optional<Estimate>& estimate, std::string_view sentence) {
    if (at_.tree().is_object() && at_.tree().contains(key)) {
      Beside(key, estimate.emplace(), sentence);
    }
  }

 private:
  const Cursor& at_;
};

// Checks what must hold beyond each field by itself, and completes what older versions left out.
// `T` is a struct of the document.
template <typename T>
void Validate(const Cursor& /*at*/, T& /*value*/) {}

// Version 0.1 wrote 0 where the system does not say.
void Validate(const Cursor& /*at*/, Host& host) {
  if (host.cpus_online == 0) host.cpus_online.reset();
}

// A survey's own rows are known by their heading, wherever they stand; reports want them first.
void Validate(const Cursor& /*at*/, Document& document) {
  std::ranges::stable_partition(document.instructions,
                                [](const InstructionRow& row) { return !row.heading.empty(); });
}

void Validate(const Cursor& at, Config& config) {
  if (at.fine() && !(config.confidence > 0 && config.confidence < 1)) {
    at.Complain(
        fmt::format("has a confidence of {}, which is not between 0 and 1", config.confidence));
  }
}

void Validate(const Cursor& at, CoreSpectrum& spectrum) {
  if (at.fine() && !(spectrum.first_ns > 0 && spectrum.step > 1)) {
    at.Complain("has bars of no width");
  }
}

void Validate(const Cursor& at, CoreMatrix& cores) {
  if (!at.fine()) return;
  const std::size_t size = cores.cpus.size();
  if (std::set<int>(cores.cpus.begin(), cores.cpus.end()).size() != size) {
    at.Complain("lists a CPU twice");
  }
  const auto check_size = [&](std::string_view name, const PairMatrix& matrix) {
    if (matrix.size() != size) {
      at.Complain(fmt::format("lists {} CPUs, but {} has {} rows", size, name, matrix.size()));
    }
  };
  check_size("nanoseconds", cores.nanoseconds);
  for (const auto& [name, matrix] : {std::pair("low", &cores.low), std::pair("high", &cores.high),
                                     std::pair("spread_within", &cores.spread_within),
                                     std::pair("spread_between", &cores.spread_between),
                                     std::pair("clock_offset", &cores.clock_offset)}) {
    if (matrix->size() != 0) check_size(name, *matrix);
  }
  if (cores.floating) {
    for (const PairMatrix& round : cores.floating->visits) check_size("visits", round);
  }
  for (std::size_t row = 0; at.fine() && row < size; ++row) {
    for (std::size_t column = 0; column < size; ++column) {
      if (cores.nanoseconds.At(row, column) < 0) {
        at.Complain(fmt::format("has nanoseconds[{}][{}] below zero", row, column));
      }
    }
  }
}

void Validate(const Cursor& at, HostMatrix& matrix) {
  if (!at.fine()) return;
  const auto check_size = [&](std::string_view name, const PairMatrix& values, bool is_needed) {
    if ((is_needed || values.size() != 0) && values.size() != matrix.hosts.size()) {
      at.Complain(fmt::format("lists {} hosts, but {} has {} rows", matrix.hosts.size(), name,
                              values.size()));
    }
  };
  for (const HostLatency& latency : matrix.latency) {
    check_size("nanoseconds", latency.nanoseconds, true);
    check_size("low", latency.low, false);
    check_size("high", latency.high, false);
  }
  check_size("gb_per_s", matrix.bandwidth.gigabytes, true);
  check_size("low", matrix.bandwidth.low, false);
  check_size("high", matrix.bandwidth.high, false);
}

// Every value and score belongs to a metric of the group that the node is compared with.
void Validate(const Cursor& at, Fleet& fleet) {
  if (!at.fine()) return;
  for (const FleetNode& node : fleet.nodes) {
    const std::string& name = node.compared_with.empty() ? node.group : node.compared_with;
    const auto group = std::ranges::find(fleet.groups, name, &FleetGroup::name);
    const std::size_t metrics = group == fleet.groups.end() ? 0 : group->metrics.size();
    for (const std::vector<double>* values : {&node.values, &node.scores}) {
      if (!values->empty() && values->size() != metrics) {
        at.Complain(fmt::format("has a node with {} values, where its group has {} metrics",
                                values->size(), metrics));
      }
    }
  }
}

}  // namespace

// An enumerator by its name; the complaint shows the wrong one.
template <Named Enum>
static void Read(const Cursor& at, Enum& value) {
  std::string name;
  Read(at, name);
  if (const std::optional<Enum> parsed = ParseName<Enum>(name)) {
    value = *parsed;
  } else {
    at.Complain(fmt::format("is {}, which this version does not know", Shown(at.tree())));
  }
}

static void Read(const Cursor& at, std::pair<int, int>& pair) {
  std::vector<int> cpus;
  Read(at, cpus);
  if (cpus.size() != 2) {
    return at.Complain(fmt::format("has {} values, 2 are needed", cpus.size()));
  }
  pair = {cpus[0], cpus[1]};
}

// One row per CPU, and as many values in each.
static void Read(const Cursor& at, PairMatrix& matrix) {
  const std::size_t size = at.tree().is_array() ? at.tree().size() : 0;
  // Every row is looked at before the matrix is made: a few bytes of text (a long list of empty
  // lists) must not ask for the square of their number.
  at.ForEach([size](const Cursor& row) {
    if (!row.tree().is_array()) return row.ComplainOfType("a list");
    if (row.tree().size() != size) {
      row.Complain(fmt::format("has {} values, {} are needed", row.tree().size(), size));
    }
  });
  if (!at.fine()) return;
  matrix = PairMatrix(size);
  std::size_t row_index = 0;
  at.ForEach([&](const Cursor& row) {
    std::size_t column_index = 0;
    row.ForEach([&](const Cursor& cell) { Read(cell, matrix.At(row_index, column_index++)); });
    ++row_index;
  });
}

template <typename T>
  requires requires(Reader& reader, T& value) { Describe(reader, value); }
static void Read(const Cursor& at, T& value) {
  Reader reader(at);
  Describe(reader, value);
  Validate(at, value);
}

}  // namespace json

namespace {

// Six matrices of six tests for 768 CPUs are 150 MB.
constexpr std::size_t kLargestText = std::size_t{256} << 20;

// A result document nests six deep.
constexpr int kDeepestNesting = 32;

std::unexpected<Error> Unreadable(std::string_view file_name, std::string_view why,
                                  std::string hint = {}) {
  return BadInput(fmt::format("cannot read '{}': {}", file_name, why), std::move(hint));
}

// How deep the text's objects and lists stand in each other. The parser itself would follow any
// depth, at some 60 bytes of memory for one of text.
int Nesting(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

std::string PlaceInText(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("line {}, column {}", line, before.size() - line_start + 1);
}

Result<json::Tree> ParseTree(std::string_view text, std::string_view file_name) {
  try {
    return json::Tree::parse(text);
  } catch (const json::Tree::parse_error& error) {
    // Its byte counts from 1, and is one past the end when the text ends too early.
    if (error.byte > text.size()) {
      return Unreadable(file_name, "it ends too early", "it seems to be cut off");
    }
    return Unreadable(
        file_name,
        "it is not valid JSON at " + PlaceInText(text, std::max(error.byte, std::size_t{1}) - 1),
        "it seems to be damaged");
  } catch (const json::Tree::out_of_range&) {
    return Unreadable(file_name, "it holds a number too large for any computer to have measured");
  } catch (const std::bad_alloc&) {
    return Unreadable(file_name, "it needs more memory than there is");
  }
}

}  // namespace

Result<Document> ParseJson(std::string_view text, std::string_view file_name) {
  if (text.size() > kLargestText) {
    return Unreadable(file_name, fmt::format("it has {} MB, and result documents at most {}",
                                             text.size() >> 20, kLargestText >> 20));
  }
  if (Nesting(text) > kDeepestNesting) {
    return Unreadable(file_name, "it is nested deeper than any result document");
  }
  const json::Tree tree = TRY(ParseTree(text, file_name));

  Document document;
  document.source = file_name;
  json::Complaint complaint;
  const json::Cursor root(tree, complaint);
  root.Required("schema", document.schema);
  if (complaint || !document.schema.starts_with(kSchemaFamily)) {
    return Unreadable(file_name, "it is not a result document of cyclescope",
                      fmt::format("those have \"schema\": \"{}\"", kSchema));
  }
  Read(root, document);

  const bool other_schema = document.schema != kSchema;
  const std::string versions =
      fmt::format("its schema is {}, this version knows {}", json::Shown(tree["schema"]), kSchema);
  if (complaint) {
    return other_schema ? Unreadable(file_name, fmt::format("{}; {}", *complaint, versions),
                                     "use the version that wrote it")
                        : Unreadable(file_name, *complaint);
  }
  if (other_schema) {
    document.warnings.push_back(
        {.code = "other-schema",
         .message = fmt::format("'{}' is read as far as it is understood: {}", file_name, versions),
         .hint = "use the version that wrote it"});
  }
  return document;
}

namespace {

template <typename Row>
Result<Row> ParseRow(std::string_view text, std::string_view file_name) {
  if (Nesting(text) > kDeepestNesting) return Unreadable(file_name, "a row is nested too deep");
  const json::Tree tree = TRY(ParseTree(text, file_name));
  Row row;
  json::Complaint complaint;
  Read(json::Cursor(tree, complaint), row);
  if (complaint) return Unreadable(file_name, *complaint);
  return row;
}

// A report in HTML, or any other page.
std::unexpected<Error> IsPage(std::string_view file_name) {
  const std::string_view stem = file_name.substr(0, file_name.rfind('.'));
  return Unreadable(
      file_name, "it is a page to look at in a browser, not a result",
      fmt::format("give the result document that it was made from, as in '{}.json'", stem));
}

}  // namespace

Result<Document> ParseFigures(std::string_view text, std::string_view file_name) {
  static constexpr std::string_view kSections[] = {"doctor", "blocks", "port_map",
                                                   "gpu",    "sweep",  "hosts"};
  // Where a list is; "low" of an estimate is a number.
  static constexpr std::string_view kLists[] = {
      "samples",        "low",         "high",      "visits",    "spread_within",
      "spread_between", "classic",     "features",  "findings",  "clock_offset",
      "alternatives",   "notes",       "disturbed", "accesses",  "loaded",
      "parallelism",    "translation", "claims",    "highlights"};
  static constexpr std::string_view kTexts[] = {"code"};
  static constexpr std::string_view kEmptied[] = {"nanoseconds", "cpus",   "curves", "counts",
                                                  "warnings",    "groups", "nodes"};
  if (IsGzipped(text)) {
    const auto unpacked = TRY(Gunzipped(text, file_name));
    return ParseFigures(unpacked, file_name);
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Unreadable(file_name, "it is empty");
  if (text[first] == '<') return IsPage(file_name);
  return ParseJson(
      Skim(text,
           {.sections = kSections, .lists = kLists, .texts = kTexts, .emptied_lists = kEmptied}),
      file_name);
}

bool IsResultName(std::string_view path) {
  return path.ends_with(".json") || path.ends_with(".json.gz");
}

Result<InstructionRow> ParseInstructionRow(std::string_view text, std::string_view file_name) {
  return ParseRow<InstructionRow>(text, file_name);
}

Result<BlockRow> ParseBlockRow(std::string_view text, std::string_view file_name) {
  return ParseRow<BlockRow>(text, file_name);
}

Result<Document> ParseDocument(std::string_view text, std::string_view file_name) {
  if (IsGzipped(text)) {
    const auto unpacked = TRY(Gunzipped(text, file_name));
    return ParseDocument(unpacked, file_name);
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Unreadable(file_name, "it is empty");
  if (text[first] == '<') return IsPage(file_name);
  const bool may_be_json = std::string_view("{[\xef").find(text[first]) != std::string_view::npos;
  return may_be_json ? ParseJson(text, file_name) : ParseCsvMatrix(text, file_name);
}

}  // namespace cyclescope
