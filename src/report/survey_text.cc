#include "report/cores_text.h"
#include "report/document_text.h"
#include "report/headline_text.h"
#include "report/machine_text.h"
#include "report/part_texts.h"
#include "report/sweep_text.h"

namespace cyclescope {
namespace {

// A page has no room for more.
constexpr std::size_t kMostCpusOnPage = 16;
constexpr std::size_t kMostDifferences = 10;

}  // namespace

std::string SurveyText(const Document& document, const TextStyle& style) {
  std::string text = MachineText(document, style);
  text += PartialText(document.partial, style);
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += '\n' + part;
  };
  add(DoctorText(document.doctor, style, ChecksShown::kFindings));
  if (document.frequency.size() > kMostCpusOnPage) {
    add(FrequencySummaryText(document.frequency));
  } else if (!document.frequency.empty()) {
    add(FrequencyText(document, style));
  }
  // In nanoseconds, which needs no frequency, so that it cannot fail.
  add(CoresText(document, {.fit = true}, style).value_or(""));
  add(MemoryText(document, style, TextSize::kPage));
  add(HeadlineText(HeadlineRows(document), style));
  add(SnippetLinesText(document.blocks, style));
  add(GpuText(document.gpu, style));
  if (document.sweep) add(SweepText(document, style, {kMostDifferences}));
  return text;
}

}  // namespace cyclescope
