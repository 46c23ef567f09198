// Prints the schema that follows from the descriptions of the document's structs
// (cyclescope/result/describe.h). It is checked in as docs/schema/cyclescope-1.json; the test
// `schema` compares it, and the target `update-schema` writes it. The page's types follow from it
// (web/types.mjs).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <concepts>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/claims.h"
#include "cyclescope/result/document.h"
#include "document/json_text.h"

namespace cyclescope {
namespace {

// A type is the members of a JSON object.
std::string Reference(std::string_view definition) {
  return fmt::format("\"$ref\": \"#/$defs/{}\"", definition);
}

struct DescribedField {
  std::string name;
  std::string type;
  std::string sentence;
  bool required = false;
};

struct DescribedStruct {
  std::string name;
  std::string sentence;
  std::vector<DescribedField> fields;
};

// Visits a struct's description, and first those of the structs in it, each once.
class Collector {
 public:
  explicit Collector(std::vector<DescribedStruct>& structs) : structs_(structs) {}

  void Struct(std::string_view name, std::string_view sentence) {
    if (!described_.name.empty()) return;  // the uncertainty beside a value
    described_.name = name;
    described_.sentence = sentence;
  }

  template <typename T>
  void Required(std::string_view name, const T& value, std::string_view sentence,
                FieldFacts facts = {}) {
    Add(name, value, sentence, facts, /*required=*/true);
  }

  template <typename T>
  void Always(std::string_view name, const T& value, std::string_view sentence,
              FieldFacts facts = {}) {
    Add(name, value, sentence, facts, /*required=*/false);
  }

  template <typename T>
  void Optional(std::string_view name, const T& value, std::string_view sentence,
                FieldFacts facts = {}) {
    Add(name, value, sentence, facts, /*required=*/false);
  }

  void Beside(std::string_view name, const Estimate& estimate, std::string_view sentence) {
    Required(name, estimate.value, sentence);
    DescribeUncertainty(*this, estimate);
  }

  void Beside(std::string_view name, const std::optional<Estimate>& /*estimate*/,
              std::string_view sentence) {
    may_be_absent_ = true;
    Beside(name, Estimate{}, sentence);
    may_be_absent_ = false;
  }

  const DescribedStruct& described() const { return described_; }

 private:
  template <typename T>
  void Add(std::string_view name, const T& value, std::string_view sentence, FieldFacts facts,
           bool required) {
    std::string text(sentence);
    if (facts.since != FieldFacts{}.since) text += fmt::format(" Since version {}.", facts.since);
    described_.fields.push_back({.name = std::string(name),
                                 .type = TypeOf(value),
                                 .sentence = std::move(text),
                                 .required = required && !may_be_absent_});
  }

  template <typename T>
  std::string TypeOf(const T& value) {
    if constexpr (std::same_as<T, bool>) {
      return R"("type": "boolean")";
    } else if constexpr (std::integral<T>) {
      return Reference("count");
    } else if constexpr (std::same_as<T, double>) {
      return Reference("number");
    } else if constexpr (std::same_as<T, std::string>) {
      return R"("type": "string")";
    } else if constexpr (std::same_as<T, PairMatrix>) {
      return Reference("matrix");
    } else if constexpr (std::same_as<T, std::pair<int, int>>) {
      return Reference("pair");
    } else if constexpr (Named<T>) {
      return fmt::format(R"("enum": ["{}"])", fmt::join(NamesOf(value), "\", \""));
    } else {
      return Reference(Collect(value));
    }
  }

  template <typename T>
  std::string TypeOf(const std::optional<T>& /*value*/) {
    return TypeOf(T{});
  }

  template <typename T>
  std::string TypeOf(const std::vector<T>& /*values*/) {
    return fmt::format(R"("type": "array", "items": {{{}}})", TypeOf(T{}));
  }

  // Every list of whole numbers is one of CPUs.
  std::string TypeOf(const std::vector<int>& /*cpus*/) { return Reference("cpus"); }

  template <typename T>
  std::string Collect(const T& value) {
    Collector inner(structs_);
    Describe(inner, value);
    const auto is_it = [&](const DescribedStruct& known) {
      return known.name == inner.described_.name;
    };
    if (std::ranges::none_of(structs_, is_it)) structs_.push_back(inner.described_);
    return inner.described_.name;
  }

  std::vector<DescribedStruct>& structs_;
  DescribedStruct described_;
  bool may_be_absent_ = false;
};

// ---- JSON Schema

constexpr std::string_view kBasicDefinitions = R"(
    "number": {"type": ["number", "null"], "description": "A finite number, or null where there is none."},
    "count": {"type": "integer", "minimum": 0, "description": "A count, an index or a CPU number."},
    "cpus": {"type": "array", "items": {"$ref": "#/$defs/count"}, "uniqueItems": true, "description": "CPU numbers, as the system counts them."},
    "pair": {"type": "array", "items": {"$ref": "#/$defs/count"}, "minItems": 2, "maxItems": 2, "description": "Two CPUs: the one that starts, the one that answers."},
    "matrix": {"type": "array", "items": {"type": "array", "items": {"$ref": "#/$defs/number"}}, "description": "A square: one row per CPU that starts, and in it one value per CPU that answers."})";

// The members of a struct's definition; `indent` stands before each line.
std::string SchemaMembers(const DescribedStruct& described, std::string_view indent) {
  std::vector<std::string> required;
  std::vector<std::string> properties;
  for (const DescribedField& field : described.fields) {
    if (field.required) required.push_back(Dump(field.name));
    properties.push_back(fmt::format("{}  {}: {{{}, \"description\": {}}}", indent,
                                     Dump(field.name), field.type, Dump(field.sentence)));
  }
  return fmt::format(
      "{0}\"type\": \"object\",\n{0}\"description\": {1},\n{0}\"required\": [{2}],\n"
      "{0}\"properties\": {{\n{3}\n{0}}}",
      indent, Dump(described.sentence), fmt::join(required, ", "), fmt::join(properties, ",\n"));
}

std::string Schema(const std::vector<DescribedStruct>& structs, DescribedStruct document) {
  document.fields.insert(document.fields.begin(),
                         {.name = "schema",
                          .type = fmt::format("\"const\": \"{}\"", kSchema),
                          .sentence = "The version of this form.",
                          .required = true});
  std::string text = fmt::format(
      "{{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
      "  \"$id\": \"cyclescope-1.json\",\n  \"title\": \"cyclescope result document\",\n"
      "{},\n  \"$defs\": {{{}",
      SchemaMembers(document, "  "), kBasicDefinitions);
  for (const DescribedStruct& described : structs) {
    text += fmt::format(",\n    \"{}\": {{\n{}\n    }}", described.name,
                        SchemaMembers(described, "      "));
  }
  return text + "\n  }\n}\n";
}

// A bar ends a cell of a table.
std::string InCell(std::string_view text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell;
}

// docs/claims.md: what the program can say, and when.
std::string Claims() {
  std::string text = R"(# Claims

Sentences that cyclescope prints about a machine, besides values: about an instruction, a snippet, ports, the
reference clock, cores, caches and memory, the buffers of a core (`anatomy`), LLVM's model, a GPU, a node of a fleet, two
results (`compare`), what disturbs measuring (`doctor`), or the whole machine. In a result each is a kind with its
figures: in `claims` or `claim` of what it is about, in `highlights`, and of the whole document in `claims`; text beside
it (`notes`, `note`, `verdict`, `cause`, `text`, `finding`, `reason`, a warning's `message`) is its sentence. Not in this
table are warnings that only say what a run lacks, and why something has no value (`reason` of a `status`).
What limits a throughput (`limit`), what binds a snippet by its ports (`ports.binds`) and how a comparison ended
(`verdict` of `compare --json`) are such kinds already.

The words come from one table, `src/analysis/claims_of_*.h`, which this page is made from (`update-schema`). A part in
[brackets] is told where its figures are known. A claim is made where its condition holds; the last column names a test
that shows it silent on a near miss: an interval that just touches, one visit too few, a contended value. What else a
report prints is values, what its marks mean, how it was measured, and errors: `tests/schema` compares every text in the
program that looks like a sentence with a list of those.
)";
  std::string_view subject;
  for (const ClaimRule& rule : ClaimRules()) {
    if (rule.subject != subject) {
      subject = rule.subject;
      text += fmt::format("\n## {}\n\n| code | sentence | holds when | silent on a near miss |\n",
                          subject);
      text += "|---|---|---|---|\n";
    }
    const std::string effect =
        rule.effect.empty() ? "" : fmt::format(" (effect: {})", InCell(rule.effect));
    text += fmt::format("| `{}` | {}{} | {} | `{}` |\n", ToString(rule.code), InCell(rule.sentence),
                        effect, rule.condition, rule.silence_in);
  }
  return text;
}

int Main(std::string_view what) {
  std::vector<DescribedStruct> structs;
  Collector collector(structs);
  const Document document;
  Describe(collector, document);
  if (what == "schema") {
    fmt::print("{}", Schema(structs, collector.described()));
  } else if (what == "claims") {
    fmt::print("{}", Claims());
  } else {
    fmt::print(stderr, "usage: cyclescope_describe schema | claims\n");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace cyclescope

int main(int argc, char** argv) { return cyclescope::Main(argc == 2 ? argv[1] : ""); }
