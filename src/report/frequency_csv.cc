#include "report/frequency_csv.h"

#include <fmt/core.h>

#include "report/csv.h"
#include "result/names.h"

namespace cyclescope {
namespace {

std::string StepsField(const std::vector<FrequencyStep>& steps) {
  std::string text;
  for (const FrequencyStep& step : steps) {
    text += fmt::format("{}{:.6g} {:.3g}", text.empty() ? "" : "; ", step.ghz, step.share);
  }
  return text;
}

}  // namespace

std::string FrequencyCsv(const std::vector<FrequencyRow>& rows) {
  std::string text =
      "cpu,status,reason,base_ghz,boost,core_ghz,core_ghz_low,core_ghz_high,cycle_source,"
      "contended,visits,steps\n";
  for (const FrequencyRow& row : rows) {
    const Estimate& ghz = row.core_ghz;
    const std::string values = ghz.value > 0 ? fmt::format("{:.6g},{:.6g},{:.6g},{:.6g}", row.boost,
                                                           ghz.value, ghz.low, ghz.high)
                                             : ",,,";
    text += fmt::format("{},{},{},{:.6g},{},{},{},{},{}\n", row.cpu, ToString(row.status),
                        CsvField(row.reason), row.base_ghz, values, CsvField(row.cycle_source),
                        ghz.contended ? "yes" : "no", ghz.visits, CsvField(StepsField(row.steps)));
  }
  return text;
}

}  // namespace cyclescope
