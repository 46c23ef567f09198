#include "report/frequency_strip.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/table.h"

namespace cyclescope {
namespace {

// Clocks of cores move in steps of 25 MHz at the least.
constexpr int kStepMhz = 25;
// Less than this share of the time is not mentioned.
constexpr double kLeastShare = 0.02;
// Stands for a space at which no line ends.
constexpr char kNoBreak = '\1';

int NearestStep(double ghz) {
  return static_cast<int>(std::lround(ghz * 1000 / kStepMhz)) * kStepMhz;
}

}  // namespace

void FrequencyStrip::Add(double at_s, const std::vector<FrequencyRow>& rows) {
  latest_s_ = at_s;
  ++rounds_;
  for (const FrequencyRow& row : rows) {
    History& history = cpus_[row.cpu];
    history.points.push_back({row.core_ghz.value, row.core_ghz.contended});
    if (row.core_ghz.value <= 0) continue;
    // A round within which the clock moved says for how much of it.
    const auto add = [&history](double ghz, double share) {
      History::Step& step = history.steps[NearestStep(ghz)];
      step.rounds += share;
      step.ghz_rounds += share * ghz;
    };
    if (row.steps.empty()) add(row.core_ghz.value, 1);
    for (const FrequencyStep& step : row.steps) add(step.ghz, step.share);
  }
}

std::string FrequencyStrip::LatestLine() const {
  std::string line = fmt::format("{:6.1f} s ", latest_s_);
  bool first = true;
  for (const auto& [cpu, history] : cpus_) {
    const Point& latest = history.points.back();
    line += fmt::format("{} CPU {} ", first ? "" : ",", cpu);
    if (latest.ghz > 0) {
      line += fmt::format("{:.3f} GHz{}", latest.ghz, latest.contended ? " contended" : "");
    } else {
      // There is no value that could be contended: this is why there is none.
      line += latest.contended ? "no value (contended)" : "no value";
    }
    first = false;
  }
  return line + '\n';
}

std::string FrequencyStrip::Drawn(const TextStyle& style) const {
  static constexpr std::array kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double low = 0;
  double high = 0;
  for (const auto& [cpu, history] : cpus_) {
    for (const Point& point : history.points) {
      if (point.ghz <= 0) continue;
      low = low == 0 ? point.ghz : std::min(low, point.ghz);
      high = std::max(high, point.ghz);
    }
  }
  // Noise is not drawn as if the clock moved.
  const double range = std::max(high - low, 0.05 * high);
  constexpr std::size_t kBeside = 24;  // columns for what stands before the bars
  const std::size_t columns = static_cast<std::size_t>(std::max(style.width, 40)) - kBeside;
  std::string text;
  for (const auto& [cpu, history] : cpus_) {
    const Point& latest = history.points.back();
    text += fmt::format("CPU {:<4} {:>9} ", cpu,
                        latest.ghz > 0 ? fmt::format("{:.3f} GHz", latest.ghz) : "no value");
    const std::size_t count = std::min(columns, history.points.size());
    for (std::size_t i = history.points.size() - count; i < history.points.size(); ++i) {
      const Point& point = history.points[i];
      const double share = std::clamp((point.ghz - low) / range, 0.0, 1.0);
      const auto bar = static_cast<std::size_t>(std::lround(share * (kBars.size() - 1)));
      const std::string drawn = point.ghz > 0 ? kBars[bar] : " ";
      text += point.contended ? Paint(drawn, Tint::kWarn, style) : drawn;
    }
    text += '\n';
  }
  return text +
         fmt::format("{:.1f} s; bars from {:.3f} to {:.3f} GHz\n", latest_s_, low, low + range);
}

std::string FrequencyStrip::Summary(const TextStyle& style) const {
  std::string text = rounds_ == 1 ? fmt::format("1 round in {:.1f} s\n", latest_s_)
                                  : fmt::format("{} rounds in {:.1f} s; the table is of the last\n",
                                                rounds_, latest_s_);
  for (const auto& [cpu, history] : cpus_) {
    std::vector<double> ghz;
    for (const Point& point : history.points) {
      if (point.ghz > 0) ghz.push_back(point.ghz);
    }
    if (ghz.empty()) {
      text += fmt::format("CPU {}: no value\n", cpu);
      continue;
    }
    std::ranges::sort(ghz);
    std::string line = fmt::format("CPU {}: rounds of {:.3f} to {:.3f} GHz, median {:.3f}", cpu,
                                   ghz.front(), ghz.back(), ghz[ghz.size() / 2]);
    std::string steps;
    int shown = 0;
    for (const auto& [mhz, step] : history.steps) {
      const double part = step.rounds / static_cast<double>(ghz.size());
      if (part < kLeastShare) continue;
      steps += fmt::format("{} {:.0f}{}% at {:.3f}", shown == 0 ? "; within them" : ",", 100 * part,
                           kNoBreak, step.ghz_rounds / step.rounds);
      ++shown;
    }
    if (shown > 1) line += steps + " GHz";
    line = Paragraph(line, style.width);
    std::ranges::replace(line, kNoBreak, ' ');
    text += line + '\n';
  }
  return text;
}

}  // namespace cyclescope
