#include "report/survey_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/ranges.h"
#include "report/cores_text.h"
#include "report/headline_rows.h"
#include "report/headline_text.h"
#include "report/machine_text.h"
#include "report/sweep_text.h"

namespace cyclescope {
namespace {

// A page has no room for more.
constexpr std::size_t kMostCpusListed = 16;
constexpr std::size_t kMostDifferences = 10;

// One line for CPUs too many to be listed.
std::string FrequencySummary(const std::vector<FrequencyRow>& rows) {
  std::vector<double> ghz;
  std::vector<int> missing;
  for (const FrequencyRow& row : rows) {
    if (row.core_ghz.value > 0) {
      ghz.push_back(row.core_ghz.value);
    } else {
      missing.push_back(row.cpu);
    }
  }
  if (ghz.empty()) return "the frequency of no CPU was measured\n";
  std::ranges::sort(ghz);
  std::string text =
      fmt::format("{} CPUs run at {:.3f} to {:.3f} GHz, median {:.3f}; base {:.3f} GHz\n",
                  ghz.size(), ghz.front(), ghz.back(), ghz[ghz.size() / 2], rows.front().base_ghz);
  if (!missing.empty()) text += fmt::format("not measured: CPU {}\n", FormatRanges(missing));
  return text;
}

}  // namespace

std::string SurveyText(const Document& document, const TextStyle& style) {
  std::string text = MachineText(document, style);
  if (document.partial)
    text += Paint("interrupted: only a part was measured\n", Tint::kWarn, style);
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += '\n' + part;
  };
  add(DoctorText(document.doctor, style, ChecksShown::kFindings));
  if (document.frequency.size() > kMostCpusListed) {
    add(FrequencySummary(document.frequency));
  } else if (!document.frequency.empty()) {
    add(FrequencyText(document.frequency, style));
  }
  // In nanoseconds, which needs no frequency, so that it cannot fail.
  add(CoresText(document, {.fit = true}, style).value_or(""));
  add(HeadlineText(HeadlineRows(document), style));
  add(SnippetLinesText(document.blocks, style));
  if (document.sweep) add(SweepText(document, style, {kMostDifferences}));
  return text;
}

}  // namespace cyclescope
