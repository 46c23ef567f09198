#include "cores/line_set.h"

#include <utility>

#include "base/try.h"

namespace cyclescope::cores {
namespace {

// Every CPU we know of moves at least this much at once. Where lines are longer, two of our lines
// still never share one, as they are a page or half a page apart.
constexpr std::size_t kLineBytes = 64;

constexpr std::uint64_t kFirstToken = 1;
constexpr std::uint64_t kSecondToken = 2;
// What no line holds before the first move, so that the first side takes it as the partner's.
constexpr std::uint64_t kNothingSeen = ~std::uint64_t{0};

bool HasOneLine(arch::Protocol protocol) {
  return protocol == arch::Protocol::kToken || protocol == arch::Protocol::kCount;
}

}  // namespace

Result<LineSet> LineSet::Draw(std::size_t count, std::mt19937_64& random) {
  auto pages = TRY(os::Pages::Map(count));
  const std::size_t lines_per_page = os::Pages::BytesPerPage() / kLineBytes;
  std::uniform_int_distribution<std::size_t> place(0, lines_per_page - 1);
  std::vector<std::size_t> offsets(count);
  for (std::size_t& offset : offsets) offset = place(random) * kLineBytes;
  return LineSet(std::move(pages), std::move(offsets));
}

LineSet::LineSet(os::Pages pages, std::vector<std::size_t> offsets)
    : pages_(std::move(pages)), offsets_(std::move(offsets)) {}

void LineSet::FirstTouch(arch::Protocol protocol) {
  // Only tokens need a value; zero pages serve the others, but must be touched all the same.
  const std::uint64_t before = protocol == arch::Protocol::kToken ? kSecondToken : 0;
  for (std::size_t line = 0; line < size(); ++line) {
    *Line(line) = before;
    *Companion(line) = before;
  }
}

arch::Side LineSet::First(std::size_t line, arch::Protocol protocol) const {
  return {.own = Line(line),
          .other = HasOneLine(protocol) ? Line(line) : Companion(line),
          .seen = protocol == arch::Protocol::kToken ? kSecondToken : kNothingSeen,
          .put = kFirstToken};
}

arch::Side LineSet::Second(std::size_t line, arch::Protocol protocol) const {
  const bool token = protocol == arch::Protocol::kToken;
  return {.own = HasOneLine(protocol) ? Line(line) : Companion(line),
          .other = Line(line),
          .seen = token ? kFirstToken : 0,
          .put = token ? kSecondToken : 1};
}

std::uint64_t* LineSet::Line(std::size_t line) const {
  return reinterpret_cast<std::uint64_t*>(pages_.At(line) + offsets_[line]);
}

// Half a page away on the same page: the same home, and too far for a prefetcher to fetch along.
std::uint64_t* LineSet::Companion(std::size_t line) const {
  const std::size_t bytes = os::Pages::BytesPerPage();
  return reinterpret_cast<std::uint64_t*>(pages_.At(line) + (offsets_[line] + bytes / 2) % bytes);
}

}  // namespace cyclescope::cores
