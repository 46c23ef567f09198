#include "report/row_text.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cyclescope/result/names.h"
#include "report/table.h"

namespace cyclescope {
namespace {

// "7.04 or 11.30 (60 : 40)"
std::string StatesText(const Estimate& estimate) {
  std::vector<std::string> values, shares;
  for (const ValueState& state : estimate.states) {
    values.push_back(fmt::format("{:.2f}", state.value));
    shares.push_back(fmt::format("{:.0f}", 100 * state.share));
  }
  return fmt::format("{} ({})", fmt::join(values, " or "), fmt::join(shares, " : "));
}

}  // namespace

std::string ValueText(double cycles) {
  const double size = std::abs(cycles);
  return fmt::format("{:.{}f}", cycles, size >= 1000 ? 0 : size >= 100 ? 1 : 2);
}

std::string IntervalText(const Estimate& estimate) {
  constexpr int kMostDigits = 3;
  const double width = estimate.high - estimate.low;
  const int digits =
      width > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(width))), 0, kMostDigits)
                : kMostDigits;
  return fmt::format("{:.{}f} – {:.{}f}", estimate.low, digits, estimate.high, digits);
}

std::string SampleText(const Estimate& estimate) {
  std::string text = fmt::format("{}", estimate.kept);
  if (estimate.rejected > 0) text += fmt::format(" (−{})", estimate.rejected);
  return text;
}

std::string WithRemarks(std::string how, const Estimate& estimate) {
  const auto add = [&how](std::string_view remark) {
    if (!how.empty()) how += ", ";
    how += remark;
  };
  if (!estimate.like.empty()) add("agrees with " + estimate.like);
  if (estimate.contended) add("contended");
  if (!estimate.states.empty()) {
    add(StatesText(estimate));
  } else if (estimate.two_modes) {
    add("two modes");
  }
  if (estimate.disturbed) add("disturbed");
  return how;
}

std::string Indented(std::string_view code) {
  std::string text;
  while (!code.empty()) text += fmt::format("    {}\n", TakeLine(code));
  return text;
}

std::string NotesText(const std::vector<std::string>& notes, const TextStyle& style) {
  std::string text;
  for (const std::string& note : notes) text += Paragraph("  note: " + note, style.width, 4) + '\n';
  return text;
}

std::string StatusLine(Status status, const std::string& reason, const TextStyle& style) {
  if (status == Status::kMeasured || status == Status::kPredicted) return "";
  const std::string line = fmt::format("  {}: {}", ToString(status), reason);
  return Paint(Paragraph(line, style.width, 4) + '\n', Tint::kWarn, style);
}

}  // namespace cyclescope
