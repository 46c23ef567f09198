// Prints what follows from the descriptions of the document's structs
// (cyclescope/result/describe.h):
//   cyclescope_describe schema   docs/schema/cyclescope-1.json
//   cyclescope_describe types    web/src/document.ts
// Both are checked in; the test `schema` compares them, and the target `update-schema` writes them.
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

struct Type {
  std::string schema;  // the members of a JSON object
  std::string script;  // in TypeScript
};

Type Reference(std::string_view definition, std::string_view script) {
  return {fmt::format("\"$ref\": \"#/$defs/{}\"", definition), std::string(script)};
}

struct DescribedField {
  std::string name;
  Type type;
  std::string sentence;
  bool required = false;
  bool of_uncertainty = false;  // in TypeScript the struct extends Uncertainty instead
};

struct DescribedStruct {
  std::string name;
  std::string sentence;
  std::string extends;
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
    described_.extends = "Uncertainty";
    in_uncertainty_ = true;
    DescribeUncertainty(*this, estimate);
    in_uncertainty_ = false;
  }

  void Beside(std::string_view name, const std::optional<Estimate>& /*estimate*/,
              std::string_view sentence) {
    may_be_absent_ = true;
    Beside(name, Estimate{}, sentence);
    may_be_absent_ = false;
    described_.extends = "Partial<Uncertainty>";
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
                                 .required = required && !may_be_absent_,
                                 .of_uncertainty = in_uncertainty_});
  }

  template <typename T>
  Type TypeOf(const T& value) {
    if constexpr (std::same_as<T, bool>) {
      return {R"("type": "boolean")", "boolean"};
    } else if constexpr (std::integral<T>) {
      return Reference("count", "number");
    } else if constexpr (std::same_as<T, double>) {
      return Reference("number", "Numbered");
    } else if constexpr (std::same_as<T, std::string>) {
      return {R"("type": "string")", "string"};
    } else if constexpr (std::same_as<T, PairMatrix>) {
      return Reference("matrix", "Matrix");
    } else if constexpr (std::same_as<T, std::pair<int, int>>) {
      return Reference("pair", "[number, number]");
    } else if constexpr (Named<T>) {
      return {fmt::format(R"("enum": ["{}"])", fmt::join(NamesOf(value), "\", \"")),
              fmt::format("'{}'", fmt::join(NamesOf(value), "' | '"))};
    } else {
      const std::string name = Collect(value);
      return Reference(name, name);
    }
  }

  template <typename T>
  Type TypeOf(const std::optional<T>& /*value*/) {
    return TypeOf(T{});
  }

  template <typename T>
  Type TypeOf(const std::vector<T>& /*values*/) {
    const Type element = TypeOf(T{});
    return {fmt::format(R"("type": "array", "items": {{{}}})", element.schema),
            element.script + "[]"};
  }

  // Every list of whole numbers is one of CPUs.
  Type TypeOf(const std::vector<int>& /*cpus*/) { return Reference("cpus", "number[]"); }

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
  bool in_uncertainty_ = false;
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
                                     Dump(field.name), field.type.schema, Dump(field.sentence)));
  }
  return fmt::format(
      "{0}\"type\": \"object\",\n{0}\"description\": {1},\n{0}\"required\": [{2}],\n"
      "{0}\"properties\": {{\n{3}\n{0}}}",
      indent, Dump(described.sentence), fmt::join(required, ", "), fmt::join(properties, ",\n"));
}

std::string Schema(const std::vector<DescribedStruct>& structs, DescribedStruct document) {
  document.fields.insert(document.fields.begin(),
                         {.name = "schema",
                          .type = {fmt::format("\"const\": \"{}\"", kSchema), ""},
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

// ---- TypeScript

// As the formatter of web/ has it: a union that does not fit its line has one member a line.
std::string ScriptField(const DescribedField& field) {
  constexpr std::size_t kWidest = 100;
  std::string text =
      fmt::format("  {}{}: {};\n", field.name, field.required ? "" : "?", field.type.script);
  if (text.size() <= kWidest + 1) return text;
  constexpr std::string_view kBetween = " | '";
  constexpr std::string_view kOnItsLine = "\n    | '";
  text.replace(text.find(" '"), 2, kOnItsLine);
  for (std::size_t at = text.find(kOnItsLine) + kOnItsLine.size();
       (at = text.find(kBetween, at)) != std::string::npos; at += kOnItsLine.size()) {
    text.replace(at, kBetween.size(), kOnItsLine);
  }
  return text;
}

std::string ScriptInterface(const DescribedStruct& described) {
  std::string text =
      fmt::format("\n/** {} */\nexport interface {}{}{} {{\n", described.sentence, described.name,
                  described.extends.empty() ? "" : " extends ", described.extends);
  for (const DescribedField& field : described.fields) {
    if (field.of_uncertainty) continue;
    text += fmt::format("  /** {} */\n{}", field.sentence, ScriptField(field));
  }
  return text + "}\n";
}

std::string Types(const std::vector<DescribedStruct>& structs, DescribedStruct document) {
  document.fields.insert(document.fields.begin(), {.name = "schema",
                                                   .type = {"", "string"},
                                                   .sentence = "The version of this form.",
                                                   .required = true});
  std::vector<DescribedStruct> none;
  Collector uncertainty(none);
  const Estimate estimate;
  DescribeUncertainty(uncertainty, estimate);
  std::string text =
      "// The result document, as docs/schema.md describes it. Made by cyclescope_describe from\n"
      "// include/cyclescope/result: change it there, and build the target update-schema.\n\n"
      "/** A finite number, or null where there is none. */\n"
      "export type Numbered = number | null;\n\n"
      "/** A square: one row per CPU that starts, and in it one value per CPU that answers. */\n"
      "export type Matrix = Numbered[][];\n";
  text += ScriptInterface(uncertainty.described());
  for (const DescribedStruct& described : structs) text += ScriptInterface(described);
  return text + ScriptInterface(document);
}

// docs/claims.md: what the program can say, and when.
std::string Claims() {
  std::string text =
      "# Claims\n\nEvery sentence about a machine that cyclescope can say besides its values and its "
      "doctor's checks. In a\nresult each is a code with its figures (`claims`, `claim`, "
      "`highlights`); the words come from one table,\n`src/analysis/claims.cc`, which this page is "
      "made from (`update-schema`). A claim is made where its condition\nholds; the test in the last "
      "column shows that it is not made otherwise.\n\nFindings about cores and memory have codes of "
      "their own (`findings[].kind`), phrased in\n`src/analysis/core_words.cc` and "
      "`memory_words.cc`.\n";
  std::string_view subject;
  for (const ClaimRule& rule : ClaimRules()) {
    if (rule.subject != subject) {
      subject = rule.subject;
      text += fmt::format("\n## {}\n\n| code | sentence | holds when | silent otherwise |\n", subject);
      text += "|---|---|---|---|\n";
    }
    text += fmt::format("| `{}` | {} | {} | `{}` |\n", ToString(rule.code), rule.sentence,
                        rule.condition, rule.silence_in);
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
  } else if (what == "types") {
    fmt::print("{}", Types(structs, collector.described()));
  } else if (what == "claims") {
    fmt::print("{}", Claims());
  } else {
    fmt::print(stderr, "usage: cyclescope_describe schema | types | claims\n");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace cyclescope

int main(int argc, char** argv) { return cyclescope::Main(argc == 2 ? argv[1] : ""); }
