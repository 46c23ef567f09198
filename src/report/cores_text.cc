#include "report/cores_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "analysis/claims.h"
#include "analysis/core_summary.h"
#include "analysis/core_words.h"
#include "analysis/document_claims.h"
#include "base/text.h"
#include "base/try.h"
#include "report/core_grid.h"
#include "report/table.h"
#include "report/text_style.h"

namespace cyclescope {
namespace {

// Longer lists of groups do not help; JSON has them all.
constexpr std::size_t kMostGroupsListed = 32;

std::string Interval(double low, double high) {
  if (std::isnan(low) || std::isnan(high)) return "";
  return fmt::format("{:.1f} to {:.1f}", low, high);
}

std::string Title(const CoreMatrix& matrix, const CoreScale& scale, const TextStyle& style) {
  const std::string name = matrix.test == "cas" ? "compare-and-swap (cas)" : Printable(matrix.test);
  const std::string instruction =
      matrix.instruction.empty() ? "" : fmt::format(", {}", Printable(matrix.instruction));
  return fmt::format("{}{}: one way, {}; row starts, column answers\n",
                     Paint(name, Tint::kBold, style), instruction, scale.unit);
}

// Minimum, median, mean and maximum, each with its interval.
std::string SummaryTable(const CoreMatrix& matrix, const CoreSummary& summary,
                         const CoreScale& scale) {
  Table table({{"", Align::kLeft},
               {std::string(scale.unit), Align::kRight},
               {"interval", Align::kLeft},
               {"CPUs", Align::kLeft}});
  const auto add = [&](const char* name, const CoreExtreme& pair) {
    table.AddRow({name, fmt::format("{:.1f}", pair.value), Interval(pair.low, pair.high),
                  fmt::format("{} to {}", matrix.cpus[pair.row], matrix.cpus[pair.column])});
  };
  add("min", summary.least);
  table.AddRow({"median", fmt::format("{:.1f}", summary.median),
                Interval(summary.median_low, summary.median_high), ""});
  table.AddRow({"mean", fmt::format("{:.1f}", summary.mean),
                Interval(summary.mean_low, summary.mean_high), ""});
  add("max", summary.most);
  return table.ToString();
}

// What the reader must know to judge the numbers above.
std::string Quality(const CoreMatrix& matrix, const CoreSummary& summary) {
  std::string text;
  if (!std::isnan(summary.spread_within) && !std::isnan(summary.spread_between)) {
    text +=
        fmt::format("over cache lines: repeatability {:.2f} ns, interquartile range {:.1f} ns\n",
                    summary.spread_within, summary.spread_between);
  }
  if (matrix.rounds > 0) {
    text += fmt::format("every pair was visited {} times{}\n", matrix.rounds,
                        matrix.floating ? "; values are medians of the visits" : "");
  }
  if (matrix.batches_rejected > 0) {
    const auto rejected = static_cast<double>(matrix.batches_rejected);
    const auto all = rejected + static_cast<double>(matrix.batches_kept);
    text += fmt::format("{} of {} batches dropped as disturbed ({:.1f} %)\n", rejected, all,
                        100 * rejected / all);
  }
  if (matrix.parallel) {
    text += fmt::format("measured at once: {:+.1f} % against {} pairs measured alone\n",
                        (matrix.parallel->ratio - 1) * 100, matrix.parallel->pairs);
  }
  if (matrix.partial) {
    const std::size_t all = matrix.cpus.size() * (matrix.cpus.size() - 1);
    text +=
        summary.pairs < all
            ? fmt::format("partial: interrupted after {} of {} pairs\n", summary.pairs, all)
            : "partial: interrupted after every pair was visited, but less often than planned\n";
  }
  return text;
}

// "core" of "core 0", "core 1", ...; "group" when they differ.
std::string CommonWord(const std::vector<const CoreGroup*>& groups) {
  const auto word = [](const CoreGroup& group) {
    return group.name.substr(0, group.name.rfind(' '));
  };
  const std::string first = word(*groups.front());
  const bool common =
      std::ranges::all_of(groups, [&](const CoreGroup* group) { return word(*group) == first; });
  return common ? Printable(first) : "group";
}

// A line per level: "384 x core, 2 CPUs each".
std::string LevelTable(const CoreMatrix& matrix) {
  Table table({{"level", Align::kRight},
               {"groups", Align::kLeft},
               {"CPUs each", Align::kRight},
               {"ns within", Align::kRight},
               {"min", Align::kRight},
               {"max", Align::kRight}});
  // By what there is: a file may number its levels as it likes.
  std::map<int, std::vector<const CoreGroup*>> levels;
  for (const CoreGroup& group : matrix.groups) levels[group.level].push_back(&group);
  for (auto& [level, groups] : levels) {
    std::ranges::sort(groups, {}, &CoreGroup::nanoseconds);
    const auto [fewest, most] =
        std::ranges::minmax(groups, {}, [](const CoreGroup* group) { return group->cpus.size(); });
    table.AddRow({fmt::format("{}", level),
                  fmt::format("{} x {}", groups.size(), CommonWord(groups)),
                  fewest->cpus.size() == most->cpus.size()
                      ? fmt::format("{}", fewest->cpus.size())
                      : fmt::format("{}-{}", fewest->cpus.size(), most->cpus.size()),
                  fmt::format("{:.1f}", groups[groups.size() / 2]->nanoseconds),
                  fmt::format("{:.1f}", groups.front()->nanoseconds),
                  fmt::format("{:.1f}", groups.back()->nanoseconds)});
  }
  return table.ToString();
}

std::string GroupTable(const CoreMatrix& matrix) {
  Table table({{"group", Align::kLeft}, {"ns within", Align::kRight}, {"CPUs", Align::kLeft}});
  for (std::size_t i = 0; i < std::min(matrix.groups.size(), kMostGroupsListed); ++i) {
    const CoreGroup& group = matrix.groups[i];
    table.AddRow({Printable(group.name), fmt::format("{:.1f}", group.nanoseconds),
                  FormatRanges(group.cpus)});
  }
  std::string text = table.ToString();
  if (matrix.groups.size() > kMostGroupsListed) {
    text +=
        fmt::format("and {} more; --json lists all\n", matrix.groups.size() - kMostGroupsListed);
  }
  return text;
}

// A paragraph behind a mark, within the style's width.
std::string Marked(const std::string& text, const TextStyle& style) {
  constexpr std::size_t kIndent = 2;
  const auto width = static_cast<std::size_t>(std::max(style.width, 40)) - kIndent;
  return Paint("! ", Tint::kWarn, style) + Wrap(Printable(text), width, kIndent) + '\n';
}

// As many as fit into a few lines; of the rest their number. The first is always told.
std::string Findings(const CoreMatrix& matrix, const CoreScale& scale, const TextStyle& style) {
  constexpr std::ptrdiff_t kMostLines = 8;
  std::string text;
  for (std::size_t i = 0; i < matrix.findings.size(); ++i) {
    const std::string next = Marked(FindingText(matrix, matrix.findings[i], scale), style);
    const bool last = i + 1 == matrix.findings.size();
    const auto lines = std::ranges::count(text, '\n') + std::ranges::count(next, '\n');
    if (i > 0 && lines > (last ? kMostLines : kMostLines - 1)) {
      return text +
             fmt::format("and {} more findings; --json lists all\n", matrix.findings.size() - i);
    }
    text += next;
  }
  return text;
}

// How long pairs stay at each level of a machine whose CPUs move.
std::string FloatingTable(const CoreFloating& floating) {
  Table table(
      {{"level, ns", Align::kRight}, {"visits", Align::kRight}, {"stays for, ms", Align::kRight}});
  for (const FloatingLevel& level : floating.levels) {
    table.AddRow({fmt::format("{:.1f}", level.nanoseconds),
                  fmt::format("{:.1f} %", 100 * level.share),
                  level.residence_ms ? fmt::format("{:.3g}", *level.residence_ms) : ""});
  }
  return table.ToString();
}

bool ShowsGrid(const CoreMatrix& matrix, const CoreScale& scale, const CoresTextOptions& options,
               const TextStyle& style) {
  if (options.full) return true;
  if (matrix.cpus.size() > kMostCpusInGrid) return false;
  return !options.fit ||
         CoreGridWidth(matrix, scale) <= static_cast<std::size_t>(std::max(style.width, 0));
}

std::string MatrixText(const CoreMatrix& matrix, const CoreScale& scale,
                       const CoresTextOptions& options, const TextStyle& style) {
  std::string text = Title(matrix, scale, style) + '\n';
  const auto summary = Summarize(matrix, scale);
  const bool in_full = ShowsGrid(matrix, scale, options, style);
  if (in_full) {
    text += CoreGridText(matrix, scale, style);
  } else {
    text += fmt::format("{} CPUs; {} prints the whole matrix\n", matrix.cpus.size(),
                        options.fit ? "'cyclescope report --full'" : "--full");
  }
  if (!summary) return text + "\nno pair was measured\n";
  text += '\n' + SummaryTable(matrix, *summary, scale) + Quality(matrix, *summary);
  if (const auto claim = ClocksClaim(matrix)) text += Sentence(*claim) + '\n';
  if (options.histogram) {
    const std::string histogram = CoreHistogramText(matrix, scale, style);
    if (!histogram.empty()) text += '\n' + histogram;
  } else if (matrix.spectrum.levels.size() > 1) {  // of one, the table above has the median
    text += Paragraph("levels, by where most of their visits lie: " + Printable(LevelsText(matrix)),
                      style.width) +
            '\n';
  }
  if (matrix.floating) text += '\n' + FloatingTable(*matrix.floating);
  if (const std::string structure = StructureText(matrix); !structure.empty()) {
    text += '\n' + Paragraph(structure, style.width) + '\n';
  }
  if (!matrix.groups.empty()) {
    text += '\n' + (in_full ? GroupTable(matrix) : LevelTable(matrix));
  }
  if (!matrix.findings.empty()) text += '\n' + Findings(matrix, scale, style);
  return text;
}

}  // namespace

Result<std::string> CoresText(const Document& document, const CoresTextOptions& options,
                              const TextStyle& style) {
  std::string text;
  for (const CoreMatrix& matrix : document.cores) {
    const auto scale = TRY(MakeCoreScale(options.unit, document, matrix));
    if (!text.empty()) text += '\n';
    text += MatrixText(matrix, scale, options, style);
  }
  return text;
}

}  // namespace cyclescope
