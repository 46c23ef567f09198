#include "anatomy/window_bounds.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <string>

#include "analysis/row_figures.h"
#include "anatomy/row_claims.h"
#include "arch/kernel_parts.h"

namespace cyclescope::anatomy {
namespace {

using arch::Window;

// Ends that lie nearer than this are one: in entries, and of the size.
constexpr double kEntries = 3;
constexpr double kShare = 0.03;
// A row with fewer entries of a window than this share of its size did not end with it.
constexpr double kEndedBeforeShare = 0.95;

// How many fillers fit by a row.
struct Fillers {
  double low = 0;
  double high = 0;
};

std::optional<Fillers> FillersThatFit(const arch::WindowFiller& filler, const AnatomyRow& row) {
  if (!row.value || row.at_least) return std::nullopt;
  const double heads = arch::EntriesOfHeads(filler.window);
  return Fillers{row.value->low - heads, row.value->high - heads};
}

bool EndTogether(const Fillers& one, const Fillers& other) {
  const double slack = std::max(kEntries, kShare * other.high);
  return one.low <= other.high + slack && other.low <= one.high + slack;
}

// Entries of the window for each of the filler's instructions.
double ShareOf(const arch::WindowFiller& filler, Window window) {
  if (filler.window == window || window == Window::kReorderBuffer) return 1;
  const auto also = std::ranges::find(filler.also, window, &arch::WindowShare::window);
  return also == filler.also.end() ? 0 : also->share;
}

// The other filler of the reorder buffer of which most fit, if they are clearly more: then
// something else ended the row. An instruction has one entry there whatever it does, but for `nop`,
// of which some cores hold several in one.
const AnatomyRow* LargerReorderBuffer(std::span<const arch::WindowFiller> fillers,
                                      std::span<const std::optional<Fillers>> fits,
                                      std::span<const AnatomyRow> rows, std::size_t index) {
  if (fillers[index].window != Window::kReorderBuffer || !fits[index]) return nullptr;
  const AnatomyRow* larger = nullptr;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (fillers[k].window != Window::kReorderBuffer || arch::IsNopAlone(fillers[k].code)) continue;
    if (!fits[k] || rows[k].contended != rows[index].contended) continue;
    if (fits[k]->low < fits[index]->high || EndTogether(*fits[index], *fits[k])) continue;
    if (larger == nullptr || rows[k].value->value > larger->value->value) larger = &rows[k];
  }
  return larger;
}

}  // namespace

void MarkBounds(std::span<const arch::WindowFiller> fillers, std::vector<AnatomyRow>& rows) {
  assert(fillers.size() == rows.size());
  std::vector<std::optional<Fillers>> fits;
  for (std::size_t i = 0; i < rows.size(); ++i) fits.push_back(FillersThatFit(fillers[i], rows[i]));
  std::vector<const AnatomyRow*> larger;
  for (std::size_t i = 0; i < rows.size(); ++i)
    larger.push_back(LargerReorderBuffer(fillers, fits, rows, i));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!fits[i]) continue;
    const Window window = fillers[i].window;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Window other = fillers[k].window;
      const double share = ShareOf(fillers[i], other);
      if (!fits[k] || other == window || share == 0 || larger[k] != nullptr ||
          rows[i].contended != rows[k].contended)
        continue;
      // The other row shows where its window ends, unless it ended with this one.
      if (larger[i] == nullptr &&
          ShareOf(fillers[k], window) * fits[k]->high > kEndedBeforeShare * fits[i]->low)
        continue;
      if (!EndTogether(*fits[i], {fits[k]->low / share, fits[k]->high / share})) continue;
      rows[i].at_least = true;
      Note({ClaimCode::kEndsWithWindow, {{"window", std::string(arch::NameOf(other))}}}, rows[i]);
      break;
    }
    if (larger[i] == nullptr || rows[i].at_least) continue;
    rows[i].at_least = true;
    Note({ClaimCode::kEndsBeforeOthers, {{"others", larger[i]->value->value}}}, rows[i]);
  }
}

void MarkOneSize(std::vector<AnatomyRow>& rows) {
  for (AnatomyRow& row : rows) {
    if (!TellsSize(row) || row.at_least || row.shared) continue;
    row.at_least = true;
    Note({ClaimCode::kOneSizeSeen, {}}, row);
  }
}

void MarkParts(std::vector<AnatomyRow>& rows) {
  for (AnatomyRow& row : rows) row.at_least |= row.contended && row.value.has_value();
}

void MarkNops(std::span<const arch::WindowFiller> fillers, std::vector<AnatomyRow>& rows) {
  assert(fillers.size() == rows.size());
  // Pairs that share an entry are twice as many; what ends the others a little earlier is not that.
  constexpr double kSharedEntriesRatio = 1.2;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!arch::IsNopAlone(fillers[i].code) || !rows[i].value) continue;
    const AnatomyRow* most = nullptr;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const AnatomyRow& other = rows[k];
      if (k == i || fillers[k].window != fillers[i].window || !other.value || other.at_least ||
          other.contended != rows[i].contended)
        continue;
      if (most == nullptr || other.value->high > most->value->high) most = &other;
    }
    if (most == nullptr || rows[i].value->low <= kSharedEntriesRatio * most->value->high) continue;
    Note({ClaimCode::kNopsShareEntries, {{"others", most->value->value}}}, rows[i]);
  }
}

}  // namespace cyclescope::anatomy
