#include "blocks/block_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <random>
#include <utility>

#include "arch/value_patterns.h"
#include "base/saturated.h"

namespace cyclescope::blocks {
namespace {

// Where the first area begins: so low that sums of addresses are addresses, too.
constexpr std::uint64_t kFirstArea = 0x3000'0000;
constexpr std::uint64_t kGuard = 0x1'0000;  // between two areas, at least
constexpr std::uint64_t kLine = 64;
// The number of places that loaded pointers lead to.
constexpr std::int64_t kNodes = 64;
constexpr std::size_t kDistinctValues = 8;
constexpr std::int64_t kLargestElement = 8;

std::uint64_t RoundUp(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

struct Range {
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();

  void Include(std::int64_t first, std::int64_t last) {
    low = std::min(low, first);
    high = std::max(high, last);
  }
};

class Layout {
 public:
  Layout(const TripValues& values, const Streams& streams, const AreaWishes& wishes)
      : values_(values), streams_(streams), wishes_(wishes) {}

  std::optional<AreaPlan> Make() {
    plan_.registers = wishes_.registers;
    for (const GeneralNumber index : streams_.indexes) plan_.registers.try_emplace(index, 0);
    // So that neighbouring trips touch neighbouring elements.
    constexpr std::uint64_t kStep = 8;
    for (const GeneralNumber index : streams_.step_registers) plan_.registers[index] = kStep;
    if (!wishes_.pattern && wishes_.contents.empty()) SetCarriedValues();
    // The stack has pages of its own, whichever way it walks.
    for (const auto& [base, uses] : streams_.by_base) {
      for (const std::size_t place : uses) {
        const std::int64_t stride = StrideOf(streams_.uses[place]);
        if (streams_.uses[place].stores) fastest_store_ = std::max(fastest_store_, stride);
        walks_ |= stride != 0;
      }
    }
    for (const auto& [base, uses] : streams_.by_base) {
      if (wishes_.meeting && wishes_.meeting->other == base) continue;
      auto range = RangeOf(base, uses);
      if (!range) return std::nullopt;
      std::vector<std::size_t> all = uses;
      const bool meets = wishes_.meeting && wishes_.meeting->base == base;
      if (meets) {
        const auto& [ignored, other, distance] = *wishes_.meeting;
        const std::vector<std::size_t>& others = streams_.by_base.at(other);
        const auto range_of_other = RangeOf(other, others);
        if (!range_of_other) return std::nullopt;
        range->Include(SaturatedSum(range_of_other->low, distance),
                       SaturatedSum(range_of_other->high, distance));
        all.insert(all.end(), others.begin(), others.end());
      }
      if (SaturatedSum(range->high, -range->low) > wishes_.most_bytes) return std::nullopt;
      Place(base, *range, all);
      if (meets) {
        plan_.registers[wishes_.meeting->other] =
            plan_.registers[base] + static_cast<std::uint64_t>(wishes_.meeting->distance);
      }
    }
    if (!streams_.pointer_loads.empty() && !PlaceNodes()) return std::nullopt;
    if (!wishes_.contents.empty()) {
      for (std::size_t i = 0; i < plan_.image.size(); ++i)
        plan_.image[i] = wishes_.contents[i % wishes_.contents.size()];
    } else if (!wishes_.pattern) {
      FillRoles();
    }
    return std::move(plan_);
  }

 private:
  // What registers hold at first in which a trip leaves what it loaded for the next one, of eight
  // bytes: `if (a[i - 1] > a[i]) break` ends no loop over equal values then, nor over rising ones.
  std::optional<std::uint64_t> CarriedValue() const {
    constexpr std::uint64_t kEachByte = 0x0101'0101'0101'0101;
    switch (wishes_.data) {
      case AreaData::kRandom:
      case AreaData::kFewValued:
        return std::nullopt;
      case AreaData::kConstant:
        return kEachByte;
      case AreaData::kRising:
        return 0;
      case AreaData::kFalling:
        return std::numeric_limits<std::int64_t>::max();
    }
    std::unreachable();
  }

  void SetCarriedValues() {
    const auto carried = CarriedValue();
    if (!carried) return;
    constexpr GeneralNumber kRegisters = 32;
    constexpr std::int64_t kWidest = 8, kBitsOfByte = 8;
    for (GeneralNumber index = 0; index < kRegisters; ++index) {
      const auto loads = values_.LoadsAtEnd(index);
      if (loads.size() != 1) continue;
      const auto use = std::ranges::find(streams_.uses, *loads.begin(), &MemoryUse::instruction);
      if (use == streams_.uses.end() || use->to_vector || use->bytes <= 0 || use->bytes > kWidest)
        continue;
      plan_.registers.try_emplace(
          index, *carried >> static_cast<int>((kWidest - use->bytes) * kBitsOfByte));
    }
  }

  // What the register other than the base contributes at first, and per trip.
  std::optional<std::int64_t> OffsetOf(const MemoryUse& use, GeneralNumber base) const {
    std::int64_t offset = use.address.constant;
    for (const auto& [index, factor] : use.address.registers) {
      if (index == base) continue;
      const auto known = plan_.registers.find(index);
      if (known == plan_.registers.end()) return std::nullopt;
      offset =
          SaturatedSum(offset, SaturatedProduct(factor, static_cast<std::int64_t>(known->second)));
    }
    return offset;
  }

  std::int64_t StrideOf(const MemoryUse& use) const {
    std::int64_t stride = 0;
    for (const auto& [index, factor] : use.address.registers) {
      if (const auto step = values_.FarthestStepOf(index)) {
        stride = SaturatedSum(stride, SaturatedProduct(factor, *step));
      } else if (values_.StepRegisterOf(index)) {
        stride = SaturatedSum(stride, SaturatedProduct(factor, 8));
      }
    }
    return stride;
  }

  std::int64_t BytesOf(const MemoryUse& use) const {
    constexpr std::int64_t kWidest = 64;
    return use.bytes > 0 ? use.bytes : kWidest;
  }

  std::optional<Range> RangeOf(GeneralNumber base, const std::vector<std::size_t>& uses) {
    Range range;
    for (const std::size_t place : uses) {
      const MemoryUse& use = streams_.uses[place];
      const auto offset = OffsetOf(use, base);
      if (!offset) return std::nullopt;
      const std::int64_t way = SaturatedProduct(StrideOf(use), wishes_.trips);
      std::int64_t behind = SaturatedSum(BytesOf(use), use.address.spread);
      for (const auto& [index, factor] : use.address.registers) {
        behind = SaturatedSum(
            behind, SaturatedSize(SaturatedProduct(factor, values_.WrapOf(index).value_or(0))));
      }
      if (use.address.is_open())
        behind = SaturatedSum(behind, SaturatedProduct(use.multiplier, kIndexLimit));
      constexpr std::int64_t kMaxDistanceBytes = std::int64_t{1}
                                                 << 40;  // so that sums do not overflow
      if (SaturatedSize(way) > kMaxDistanceBytes || SaturatedSize(*offset) > kMaxDistanceBytes ||
          behind > kMaxDistanceBytes)
        return std::nullopt;
      range.Include(*offset + std::min<std::int64_t>(way, 0),
                    *offset + std::max<std::int64_t>(way, 0) + behind);
    }
    return range;
  }

  // Where areas begin in their pages. A load waits for an older store at the same place of another
  // page, though it has nothing to do with it. In a walk upwards loads are ahead of stores, so that
  // areas that are written begin at one place and the others a line behind each other after it: a
  // load then never meets a store that is still under way. Large arrays of programs lie alike.
  // Stores that walk faster begin further behind, so that they do not catch up before the last
  // trip; where they would meet the loads of the page before, they catch up in the first trips,
  // which both lengths of the loop have. Where nothing walks, areas are objects of a program: each
  // has lines of its own in its page.
  std::uint64_t PlaceInPage(bool is_written, std::int64_t stride, std::uint64_t bytes) {
    if (!walks_) {
      const std::uint64_t place = lines_taken_ % kLinesApart * kLine;
      lines_taken_ += RoundUp(bytes, kLine) / kLine + 1;
      return place;
    }
    if (is_written) return 0;
    const std::int64_t catches_up = stride > 0 && fastest_store_ > stride
                                        ? SaturatedProduct(fastest_store_ - stride, wishes_.trips)
                                        : 0;
    constexpr std::int64_t kComparedBytes = 4096;  // by the lower 12 bits of addresses
    const auto behind = static_cast<std::uint64_t>(
        catches_up <= kComparedBytes * 3 / 4 ? catches_up : std::int64_t{0});
    return ++only_read_ * kLine + RoundUp(behind, kLine);
  }

  std::uint64_t AddArea(std::uint64_t bytes, std::uint64_t place) {
    sandbox::MemoryArea area;
    area.address = next_;
    area.bytes = RoundUp(place + bytes, wishes_.page_size);
    next_ = RoundUp(area.address + area.bytes + kGuard, std::max(kGuard, wishes_.page_size));
    offsets_.push_back(plan_.image.size());
    plan_.image.resize(plan_.image.size() + area.bytes);
    plan_.areas.push_back(area);
    return area.address + place;
  }

  void Place(GeneralNumber base, const Range& range, const std::vector<std::size_t>& uses) {
    const auto bytes = static_cast<std::uint64_t>(range.high - range.low);
    const bool is_written = std::ranges::any_of(
        uses, [this](std::size_t place) { return streams_.uses[place].stores; });
    // What starts at the base begins a line, as arrays mostly do: an access 8 bytes behind it then
    // crosses lines where it does in a program.
    std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
    for (const std::size_t place : uses)
      slowest = std::min(slowest, StrideOf(streams_.uses[place]));
    const std::uint64_t begin = AddArea(bytes + kLine, PlaceInPage(is_written, slowest, bytes));
    plan_.registers[base] = RoundUp(begin - static_cast<std::uint64_t>(range.low), kLine);
    plan_.footprint += static_cast<std::int64_t>(bytes);
    const bool floats = std::ranges::any_of(
        uses, [this](std::size_t place) { return streams_.uses[place].to_vector; });
    const bool extended = std::ranges::any_of(
        uses, [this](std::size_t place) { return streams_.uses[place].extended; });
    std::int64_t element = kLargestElement;
    for (const std::size_t place : uses) element = std::min(element, BytesOf(streams_.uses[place]));
    Fill(plan_.areas.size() - 1, floats, extended);
    if (extended || wishes_.pattern) return;
    if (wishes_.data == AreaData::kFewValued) FillWithFew(element, floats);
    if (wishes_.data == AreaData::kRising || wishes_.data == AreaData::kFalling)
      FillInOrder(element, floats);
  }

  // Elements of the last area, each half of the time as the one before, else one of a few.
  void FillWithFew(std::int64_t element, bool floats) {
    std::array<std::uint64_t, kDistinctValues> values{};
    for (std::uint64_t& value : values) value = Word(floats);
    std::uint64_t value = values[0];
    const auto size = static_cast<std::size_t>(std::bit_floor(static_cast<std::uint64_t>(element)));
    for (std::size_t at = offsets_.back(); at < plan_.image.size(); at += size) {
      if (Changes()) value = values[random_() % kDistinctValues];
      std::memcpy(&plan_.image[at], &value, size);
    }
  }

  bool Changes() { return random_() % 2 == 0; }

  // Elements of the last area: positive numbers, none of them zero.
  void FillInOrder(std::int64_t element, bool floats) {
    const auto size = static_cast<std::size_t>(std::bit_floor(static_cast<std::uint64_t>(element)));
    const std::size_t begin = offsets_.back();
    const std::size_t count = (plan_.image.size() - begin) / size;
    const bool falls = wishes_.data == AreaData::kFalling;
    constexpr std::size_t kMostAreas = 8;
    const std::size_t area = std::min(offsets_.size(), kMostAreas) - 1;
    const std::size_t area_in_order = falls ? kMostAreas - 1 - area : area;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = falls ? count - 1 - i : i;
      // Of what lies between the first value of an area and that of the next.
      const double part = static_cast<double>(place) / static_cast<double>(count);
      const double step = (static_cast<double>(area_in_order) + part) / kMostAreas;
      const std::uint64_t value = InOrder(step, size, floats, falls);
      std::memcpy(&plan_.image[begin + i * size], &value, size);
    }
  }

  // A number that rises with `step`, which is between 0 and 1. Rising floats are above those that
  // registers hold at first, and falling ones below.
  static std::uint64_t InOrder(double step, std::size_t size, bool floats, bool falls) {
    if (floats && size >= sizeof(float)) {
      const double value = falls ? 1 + step * 0x1p-9 : 2 + step;
      return size == sizeof(float) ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                   : std::bit_cast<std::uint64_t>(value);
    }
    constexpr int kBitsOfByte = 8;
    const int bits = std::min(static_cast<int>(size) * kBitsOfByte, 32) - 1;
    const auto largest = static_cast<double>((std::uint64_t{1} << bits) - 2);
    return 1 + static_cast<std::uint64_t>(step * (largest - 1));
  }

  // One number of every precision between 1 and 2, or an integer.
  std::uint64_t Word(bool floats) {
    if (wishes_.pattern) return *wishes_.pattern;
    if (wishes_.data == AreaData::kConstant)
      return floats ? arch::kUsualValue : std::uint64_t{0x0101'0101'0101'0101};
    std::uint64_t word = random_();
    if (floats) return (word & 0x000f'000f'000f'000f) | 0x3ff0'3ff0'3ff0'3ff0;
    // Neither zero nor what registers that are compared with it hold (kUnlikeData).
    if (wishes_.avoid_exits) word = (word & 0x7e7e'7e7e'7e7e'7e7e) | 0x0101'0101'0101'0101;
    return word;
  }

  void Fill(std::size_t area, bool floats, bool extended) {
    const std::size_t begin = offsets_[area];
    for (std::size_t at = 0; at < plan_.areas[area].bytes; at += sizeof(std::uint64_t)) {
      const std::uint64_t word =
          extended ? arch::OrdinaryPattern(arch::ElementKind::kExtended) : Word(floats);
      std::memcpy(&plan_.image[begin + at], &word, sizeof(word));
    }
  }

  // A ring of places, each with the address of the next wherever the code looks for one.
  bool PlaceNodes() {
    std::int64_t size = static_cast<std::int64_t>(kLine);
    std::int64_t lowest = 0;
    for (const MemoryUse& use : streams_.uses) {
      if (!use.address.registers.empty() || use.address.loads.empty()) continue;
      size = std::max(size, SaturatedSum(use.address.constant, BytesOf(use)));
      lowest = std::min(lowest, use.address.constant);
    }
    const std::int64_t span = SaturatedSum(size, SaturatedSize(lowest));
    if (span > wishes_.most_bytes / kNodes) return false;
    node_bytes_ = static_cast<std::int64_t>(RoundUp(static_cast<std::uint64_t>(span), kLine));
    node_before_ = -lowest;
    if (node_bytes_ > wishes_.most_bytes / kNodes) return false;
    nodes_ = AddArea(static_cast<std::uint64_t>(node_bytes_ * kNodes),
                     PlaceInPage(false, 0, static_cast<std::uint64_t>(node_bytes_)));
    plan_.footprint += node_bytes_ * kNodes;
    Fill(plan_.areas.size() - 1, false, false);
    for (const GeneralNumber index : streams_.pointers) plan_.registers[index] = Node(0);
    ring_.resize(kNodes);
    for (std::size_t i = 0; i < ring_.size(); ++i) ring_[i] = static_cast<std::int64_t>(i);
    std::shuffle(ring_.begin() + 1, ring_.end(), random_);
    return true;
  }

  std::uint64_t Node(std::int64_t number) const {
    return nodes_ + static_cast<std::uint64_t>(number * node_bytes_ + node_before_);
  }

  // Pointers and indexes, where the code loads them from.
  void FillRoles() {
    std::size_t next_node = 0;
    for (const MemoryUse& use : streams_.uses) {
      const bool pointer = std::ranges::find(streams_.pointer_loads, use.instruction) !=
                           streams_.pointer_loads.end();
      const auto index = streams_.index_loads.find(use.instruction);
      if (!use.loads || (!pointer && index == streams_.index_loads.end())) continue;
      const auto value = [&]() -> std::uint64_t {
        if (pointer) return ring_.empty() ? 0 : Node(ring_[next_node++ % ring_.size()]);
        const std::vector<std::int64_t>& values = index->second;
        const std::size_t count = values.empty() ? kIndexLimit : values.size();
        const std::size_t number = IndexOf(count);
        return values.empty() ? number : static_cast<std::uint64_t>(values[number]);
      };
      if (use.address.registers.empty()) {
        // In the ring each place leads to the next.
        for (std::size_t i = 0; i < ring_.size(); ++i) {
          const std::uint64_t to = pointer ? Node(ring_[(i + 1) % ring_.size()]) : value();
          Write(Node(ring_[i]) + static_cast<std::uint64_t>(use.address.constant), to, use.bytes);
        }
        continue;
      }
      FillWalk(use, value);
    }
    if (wishes_.end) EndWalk(*wishes_.end);
  }

  // Of a value that is an index, or leads to one of `count` places of a table.
  std::size_t IndexOf(std::size_t count) {
    if (wishes_.data == AreaData::kConstant) return 1 % count;
    if (wishes_.data != AreaData::kFewValued) return random_() % count;
    const std::size_t few = std::min(count, kDistinctValues);
    if (Changes()) few_index_ = random_() % few;
    return few_index_ % few * (count / few);
  }

  // Where an access begins in the first trip; unset where that is not known.
  std::optional<std::uint64_t> FirstPlaceOf(const MemoryUse& use) const {
    std::uint64_t address = static_cast<std::uint64_t>(use.address.constant);
    for (const auto& [index, factor] : use.address.registers) {
      const auto known = plan_.registers.find(index);
      if (known == plan_.registers.end()) return std::nullopt;
      address += known->second * static_cast<std::uint64_t>(factor);
    }
    return address;
  }

  // Behind the last trip of a walk what ends it, and nothing like that before.
  void EndWalk(const EndOfWalk& end) {
    const auto use = std::ranges::find(streams_.uses, end.load, &MemoryUse::instruction);
    const auto first = use == streams_.uses.end() ? std::nullopt : FirstPlaceOf(*use);
    if (!first) return;
    const std::int64_t stride = StrideOf(*use);
    const auto place = [&](int trip) { return *first + static_cast<std::uint64_t>(stride * trip); };
    const auto value = static_cast<std::uint64_t>(end.value);
    // Bytes that are neither zero nor what the loop looks for.
    constexpr std::uint64_t kOtherwise = 2;
    for (int trip = 0; end.is_by_value && trip < wishes_.trips; ++trip) {
      if (end.only_before)
        Write(place(trip), value ^ 1, use->bytes);
      else if (Holds(place(trip), value, use->bytes))
        Write(place(trip), value ^ kOtherwise, use->bytes);
    }
    Write(place(wishes_.trips), value, use->bytes);
  }

  bool Holds(std::uint64_t address, std::uint64_t value, std::int64_t bytes) const {
    const auto size = static_cast<std::size_t>(std::clamp<std::int64_t>(bytes, 1, 8));
    const auto at = PlaceInImage(address, size);
    return at && std::memcmp(&plan_.image[*at], &value, size) == 0;
  }

  // At each place that the walk reads. A vector register holds several.
  template <typename Value>
  void FillWalk(const MemoryUse& use, Value value) {
    const auto address = FirstPlaceOf(use);
    if (!address) return;
    const auto found = streams_.index_loads.find(use.instruction);
    constexpr std::int64_t kWord = 4, kLong = 8;
    const std::int64_t bytes = BytesOf(use);
    const std::int64_t each = bytes <= kLong                        ? bytes
                              : found != streams_.index_loads.end() ? kWord
                                                                    : kLong;
    const std::int64_t stride = StrideOf(use);
    const int trips = stride == 0 ? 0 : wishes_.trips;
    // Whatever other indexes add, it reads within the area.
    const std::int64_t around =
        use.address.is_open() ? use.multiplier * kIndexLimit : use.address.spread;
    for (int trip = 0; trip <= trips; ++trip) {
      for (std::int64_t at = 0; at < bytes + around; at += each) {
        Write(*address + static_cast<std::uint64_t>(stride * trip + at), value(), each);
      }
    }
  }

  void Write(std::uint64_t address, std::uint64_t value, std::int64_t bytes) {
    const auto size = static_cast<std::size_t>(std::clamp<std::int64_t>(bytes, 1, 8));
    if (const auto at = PlaceInImage(address, size)) std::memcpy(&plan_.image[*at], &value, size);
  }

  // Where that many bytes are; unset where no area has them.
  std::optional<std::size_t> PlaceInImage(std::uint64_t address, std::size_t size) const {
    for (std::size_t i = 0; i < plan_.areas.size(); ++i) {
      const sandbox::MemoryArea& area = plan_.areas[i];
      if (address >= area.address && address + size <= area.address + area.bytes)
        return offsets_[i] + static_cast<std::size_t>(address - area.address);
    }
    return std::nullopt;
  }

  const TripValues& values_;
  const Streams& streams_;
  const AreaWishes& wishes_;
  AreaPlan plan_;
  std::vector<std::size_t> offsets_;  // of areas in the image
  std::uint64_t next_ = kFirstArea;
  std::mt19937_64 random_{1};
  bool walks_ = false;              // an access of the snippet goes on from trip to trip
  std::uint64_t lines_taken_ = 0;   // of pages, where nothing walks
  std::uint64_t only_read_ = 0;     // areas so far
  std::int64_t fastest_store_ = 0;  // bytes of a trip
  std::size_t few_index_ = 0;
  std::uint64_t nodes_ = 0;
  std::int64_t node_bytes_ = 0;
  std::int64_t node_before_ = 0;
  std::vector<std::int64_t> ring_;
};

}  // namespace

std::optional<AreaPlan> LayOutAreas(const TripValues& values, const Streams& streams,
                                    const AreaWishes& wishes) {
  if (!streams.understood) return std::nullopt;
  return Layout(values, streams, wishes).Make();
}

}  // namespace cyclescope::blocks
