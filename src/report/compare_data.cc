#include <fmt/format.h>

#include <iterator>
#include <string>

#include "document/json_text.h"
#include "report/compare_output.h"
#include "report/csv.h"

namespace cyclescope {
namespace {

using Json = OrderedJson;

Json EstimateJson(const std::optional<ComparedEstimate>& estimate) {
  if (!estimate) return nullptr;
  return {{"value", Rounded(estimate->value)}, {"low", Rounded(estimate->low)},
          {"high", Rounded(estimate->high)},   {"trusted", !estimate->doubt},
          {"bound", estimate->bound},          {"at_least", estimate->at_least}};
}

Json ClaimJson(const Claim& claim) {
  Json json = {{"kind", ToString(claim.code)}};
  for (const ClaimFigure& figure : claim.figures) {
    Json each = {{"name", figure.name}};
    if (figure.value) {
      each["value"] = Rounded(*figure.value);
    } else {
      each["text"] = figure.text;
    }
    json["figures"].push_back(std::move(each));
  }
  return json;
}

Json ChangeJson(const Comparison& comparison, std::size_t other, const Change& change) {
  Json json = {{"document", comparison.documents[other + 1].label},
               {"verdict", ToString(change.verdict)},
               {"difference", Rounded(change.difference)},
               {"low", Rounded(change.low)},
               {"high", Rounded(change.high)},
               {"relative", Rounded(change.relative)},
               {"worse", change.worse}};
  if (change.claim) {
    json["claim"] = ClaimJson(*change.claim);
    json["reason"] = change.reason;
  }
  return json;
}

Json ValueJson(const Comparison& comparison, const ComparedValue& value) {
  Json estimates = Json::array();
  for (const auto& estimate : value.estimates) estimates.push_back(EstimateJson(estimate));
  Json changes = Json::array();
  for (std::size_t i = 0; i < value.changes.size(); ++i) {
    changes.push_back(ChangeJson(comparison, i, value.changes[i]));
  }
  return {{"name", value.name}, {"estimates", estimates}, {"changes", changes}};
}

Json CountsJson(const Comparison& comparison, std::size_t other, const ChangeCounts& counts) {
  return {{"document", comparison.documents[other + 1].label},
          {"changed", counts.changed},
          {"worse", counts.worse},
          {"same", counts.same},
          {"cannot_tell", counts.cannot_tell},
          {"only_in_first", counts.only_in_first},
          {"only_in_other", counts.only_in_other},
          {"median_relative", Rounded(counts.median_relative)}};
}

Json DocumentJson(const ComparedDocument& document) {
  return {{"label", document.label},         {"source", document.source},
          {"host", document.host},           {"cpu", document.cpu},
          {"cpu_model", document.cpu_model}, {"cycle_source", document.cycle_source},
          {"started", document.started}};
}

std::string KindText(const Comparison& comparison, const ComparedKind& kind) {
  Json counts = Json::array();
  for (std::size_t i = 0; i < kind.counts.size(); ++i) {
    counts.push_back(CountsJson(comparison, i, kind.counts[i]));
  }
  std::string text =
      fmt::format("{{\"kind\":{},\"unit\":{},\"threshold\":{},\"counts\":{},",
                  Dump(ToString(kind.kind)), Dump(UnitOf(kind.kind)), kind.threshold, Dump(counts));
  if (kind.values_left_off > 0)
    text += fmt::format("\"values_left_off\":{},", kind.values_left_off);
  text += "\"values\":[";
  const char* separator = "\n   ";
  for (const ComparedValue& value : kind.values) {
    text += separator + Dump(ValueJson(comparison, value));
    separator = ",\n   ";
  }
  return text + "]}";
}

std::string CsvEstimate(const std::optional<ComparedEstimate>& estimate) {
  if (!estimate) return ",,";
  return fmt::format("{},{},{}", CsvNumber(estimate->value), CsvNumber(estimate->low),
                     CsvNumber(estimate->high));
}

std::string_view CsvBound(const std::optional<ComparedEstimate>& estimate) {
  if (!estimate) return "";
  return estimate->bound ? "yes" : "no";
}

}  // namespace

std::string ToJson(const Comparison& comparison) {
  Json documents = Json::array();
  for (const ComparedDocument& document : comparison.documents) {
    documents.push_back(DocumentJson(document));
  }
  Json claims = Json::array();
  for (const Claim& claim : comparison.claims) claims.push_back(ClaimJson(claim));
  std::string text = fmt::format(
      "{{\"schema\":\"cyclescope-comparison/1\",\n \"documents\":{},\n \"claims\":{},\n "
      "\"notices\":{},\n \"regression\":{},\n \"kinds\":[",
      Dump(documents), Dump(claims), Dump(comparison.notices), comparison.HasRegression());
  const char* separator = "\n  ";
  for (const ComparedKind& kind : comparison.kinds) {
    text += separator + KindText(comparison, kind);
    separator = ",\n  ";
  }
  return text + "]}\n";
}

std::string ToCsv(const Comparison& comparison) {
  std::string text =
      "kind,unit,name,document,verdict,first,first_low,first_high,other,other_low,other_high,"
      "difference,difference_low,difference_high,relative,worse,first_bound,other_bound\n";
  for (const ComparedKind& kind : comparison.kinds) {
    for (const ComparedValue& value : kind.values) {
      for (std::size_t i = 0; i < value.changes.size(); ++i) {
        const Change& change = value.changes[i];
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                       ToString(kind.kind), UnitOf(kind.kind), CsvField(value.name),
                       comparison.documents[i + 1].label, ToString(change.verdict),
                       CsvEstimate(value.estimates[0]), CsvEstimate(value.estimates[i + 1]),
                       CsvNumber(change.difference), CsvNumber(change.low), CsvNumber(change.high),
                       CsvNumber(change.relative), change.worse ? "yes" : "no",
                       CsvBound(value.estimates[0]), CsvBound(value.estimates[i + 1]));
      }
    }
  }
  return text;
}

}  // namespace cyclescope
