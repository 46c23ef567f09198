#include "analysis/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "analysis/core_words.h"
#include "base/byte_size.h"
#include "base/text.h"
#include "cyclescope/result/document.h"

namespace cyclescope {
namespace {

// What stands between a bracket at `open` and its counterpart: "a{b}" of "{a{b}} c".
std::string_view Inside(std::string_view pattern, std::size_t open, char opening, char closing) {
  int depth = 0;
  for (std::size_t at = open; at < pattern.size(); ++at) {
    if (pattern[at] == opening) ++depth;
    if (pattern[at] == closing && --depth == 0) return pattern.substr(open + 1, at - open - 1);
  }
  return pattern.substr(open + 1);
}

const ClaimFigure* Find(std::span<const ClaimFigure> figures, std::string_view name) {
  const auto found = std::ranges::find(figures, name, &ClaimFigure::name);
  return found == figures.end() ? nullptr : &*found;
}

// Whole numbers as such, others with two digits.
std::string CyclesText(double cycles) {
  const bool is_whole = std::abs(cycles - std::round(cycles)) < 0.005;
  return is_whole ? fmt::format("{:.0f}", cycles) : fmt::format("{:.2f}", cycles);
}

std::string NumberText(double value, std::string_view spec) {
  if (spec == "bytes") return FormatBytes(value);
  if (spec == "percent") return PercentText(value);
  if (spec == "cycles") return CyclesText(value);
  if (const auto bar = spec.find('|'); bar != spec.npos)
    return std::string(value == 1 ? spec.substr(0, bar) : spec.substr(bar + 1));
  return fmt::format(fmt::runtime(fmt::format("{{:{}}}", spec)), value);
}

// "cycles:.2f" as text. Documents come from anywhere: what is missing there is a question mark.
std::string FigureText(std::string_view figure, std::span<const ClaimFigure> figures) {
  const auto colon = figure.find(':');
  const ClaimFigure* found = Find(figures, figure.substr(0, colon));
  if (colon == figure.npos) return found == nullptr || found->value ? "?" : Printable(found->text);
  return found == nullptr || !found->value ? "?"
                                           : NumberText(*found->value, figure.substr(colon + 1));
}

// True if the figures of a part are there; parts within it look after themselves.
bool HasFigures(std::string_view part, std::span<const ClaimFigure> figures) {
  for (std::size_t at = 0; at < part.size(); ++at) {
    if (part[at] == '[') {
      at += Inside(part, at, '[', ']').size() + 1;
    } else if (part[at] == '{') {
      const std::string_view figure = Inside(part, at, '{', '}');
      if (Find(figures, figure.substr(0, figure.find(':'))) == nullptr) return false;
      at += figure.size() + 1;
    }
  }
  return true;
}

std::string Fill(std::string_view pattern, std::span<const ClaimFigure> figures) {
  std::string text;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '[') {
      const std::string_view part = Inside(pattern, at, '[', ']');
      if (HasFigures(part, figures)) text += Fill(part, figures);
      at += part.size() + 1;
    } else if (pattern[at] == '{') {
      const std::string_view figure = Inside(pattern, at, '{', '}');
      text += FigureText(figure, figures);
      at += figure.size() + 1;
    } else {
      text += pattern[at];
    }
  }
  return text;
}

const ClaimRule& RuleOf(const Claim& claim) {
  return ClaimRules()[static_cast<std::size_t>(claim.code)];
}

}  // namespace

std::string Sentence(const Claim& claim) { return Fill(RuleOf(claim).sentence, claim.figures); }

std::string Effect(const Claim& claim) { return Fill(RuleOf(claim).effect, claim.figures); }

std::string Sentences(std::span<const Claim> claims) {
  std::string text;
  for (const Claim& claim : claims) text += (text.empty() ? "" : "; ") + Sentence(claim);
  return text;
}

Warning WarningOf(std::string code, Claim claim, std::string hint) {
  return {std::move(code), Sentence(claim), std::move(hint), std::move(claim)};
}

void PutIntoWords(Check& check) {
  if (!check.claim) return;
  check.finding = Sentence(*check.claim);
  check.effect = Effect(*check.claim);
}

}  // namespace cyclescope
