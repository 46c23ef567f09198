#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "analysis/claims.h"
#include "analysis/compare.h"
#include "analysis/document_claims.h"
#include "analysis/host_words.h"
#include "analysis/model_agreement.h"
#include "analysis/model_words.h"
#include "document/json_text.h"
#include "document/json_writer.h"
#include "report/compare_output.h"

namespace cyclescope {
namespace {

// The longest text that Chromium's JavaScript engine holds is 512 MB; the page itself has a share.
constexpr std::size_t kLargestData = std::size_t{480} << 20;

// The page draws matrices from the documents. Of pairs between cores it lists only those that
// differ, since a comparison of large machines would else be larger than both documents.
void LeaveOffEqualPairs(Comparison& comparison) {
  for (ComparedKind& kind : comparison.kinds) {
    if (kind.kind != ValueKind::kCores) continue;
    kind.values_left_off = std::erase_if(kind.values, [](const ComparedValue& value) {
      return std::ranges::all_of(value.changes, [](const Change& change) {
        return change.verdict == Verdict::kSame || change.verdict == Verdict::kCannotTell;
      });
    });
  }
}

// Of thousands of forms the page has every value, but neither samples, nor the classic table, nor
// the code: together they take three times the room of all the rest, and the document has them.
void LeaveOffDetails(Document& document) {
  constexpr std::size_t kMostInDetail = 2000;
  if (document.instructions.size() <= kMostInDetail) return;
  const auto shorten = [](auto& value) {
    value.code.clear();
    value.cycles.samples.clear();
  };
  for (InstructionRow& row : document.instructions) {
    row.classic.clear();
    if (row.throughput) shorten(*row.throughput);
    std::ranges::for_each(row.throughput_by_values, shorten);
    std::ranges::for_each(row.latency, shorten);
  }
}

OrderedJson CountJson(const ModelCount& count) {
  return {{"compared", count.compared}, {"agreeing", count.agreeing}};
}

// Where LLVM's model is wrong, as the text report has it; rows by their place in the document.
std::string ModelJson(const std::vector<InstructionRow>& rows) {
  const ModelAgreement agreement = CompareWithModel(rows);
  if (agreement.cpu.empty()) return "null";
  const auto place = [&rows](const ModelDifference& difference) {
    return difference.row - rows.data();
  };
  OrderedJson groups = OrderedJson::array();
  for (const ModelGroup& group : GroupDifferences(agreement)) {
    OrderedJson places = OrderedJson::array();
    for (const ModelDifference* difference : group.differences)
      places.push_back(place(*difference));
    groups.push_back({{"quantity", QuantityName(group.quantity)},
                      {"family", group.family},
                      {"operands", group.operands},
                      {"pattern", ToString(group.pattern)},
                      {"amount", group.amount},
                      {"compared", group.compared},
                      {"text", GroupText(group)},
                      {"rows", places}});
  }
  OrderedJson sentences = OrderedJson::array();
  for (const Claim& claim : AgreementClaims(agreement)) sentences.push_back(Sentence(claim));
  OrderedJson system = OrderedJson::array();
  for (const ModelDifference& difference : agreement.system) system.push_back(place(difference));
  return Dump(OrderedJson{{"cpu", agreement.cpu},
                          {"latency", CountJson(agreement.latency)},
                          {"throughput", CountJson(agreement.throughput)},
                          {"sentences", sentences},
                          {"groups", groups},
                          {"system", system}});
}

std::string ResultJson(std::size_t index, Document document) {
  LeaveOffDetails(document);
  return fmt::format(
      "{{\"label\":{},\"source\":{},\"command\":{},\"highlights\":{},\"model\":{},\"document\":{}}"
      "}",
      Dump(DocumentLabel(index)), Dump(document.source), Dump(CommandText(document.config)),
      Dump(HighlightTexts(document)), ModelJson(document.instructions), ToJson(document));
}

}  // namespace

Result<std::string> ToHtml(std::span<const Document> documents) {
  if (documents.empty()) return BadInput("there is no result to report");
  Comparison comparison;
  if (documents.size() > 1) {
    comparison = Compare(documents, {});
    LeaveOffEqualPairs(comparison);
  }
  std::string data = "{\"results\":[";
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (i > 0) data += ',';
    data += ResultJson(i, documents[i]);
  }
  data += "]";
  if (documents.size() > 1) data += ",\"comparison\":" + ToJson(comparison);
  data += "}";
  if (data.size() > kLargestData) {
    return BadInput(fmt::format("the report would hold {} MB of data, more than browsers take",
                                data.size() >> 20),
                    "report fewer results at once");
  }

  return PageWith(HtmlTemplate(), data);
}

}  // namespace cyclescope
