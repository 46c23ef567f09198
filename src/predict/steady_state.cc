#include "predict/steady_state.h"

#include <algorithm>
#include <cmath>

namespace cyclescope::predict {

std::optional<PipelineResult> SteadyState::Add(const PipelineSnapshot& end, std::uint64_t glance,
                                               const std::function<std::uint64_t()>& hash_of) {
  ends_.push_back(end);
  std::optional<std::uint64_t> hash;
  for (const Reference& reference : references_) {
    if (reference.glance != glance) continue;
    if (!hash) hash = hash_of();
    if (reference.hash != *hash) continue;
    PipelineResult result = Between(ends_[reference.end], end);
    result.settled = true;
    return result;
  }
  // Fewer and fewer are kept: a loop that repeats itself late is seen late.
  if (ends_.size() < next_reference_) return std::nullopt;
  next_reference_ = ends_.size() + 1 + ends_.size() / 4;
  references_.push_back({glance, hash ? *hash : hash_of(), ends_.size() - 1});
  return std::nullopt;
}

bool SteadyState::ThirdsAgree() const {
  constexpr std::size_t kFewestIterations = 30;
  constexpr double kAgreeing = 0.002;
  if (ends_.size() < kFewestIterations) return false;
  const PipelineSnapshot& first = ends_[ends_.size() / 3];
  const PipelineSnapshot& second = ends_[2 * ends_.size() / 3];
  const double before = Between(first, second).cycles;
  const double after = Between(second, ends_.back()).cycles;
  return std::abs(after - before) <= kAgreeing * before;
}

PipelineResult SteadyState::Between(const PipelineSnapshot& from,
                                    const PipelineSnapshot& to) const {
  PipelineResult result;
  const auto iterations =
      static_cast<double>(std::max<std::uint64_t>(to.iterations - from.iterations, 1));
  result.cycles = static_cast<double>(to.now - from.now) / iterations;
  for (std::size_t port = 0; port < ports_; ++port)
    result.port_uops.push_back(static_cast<double>(to.issued_on[port] - from.issued_on[port]) /
                               iterations);
  for (std::size_t window = 0; window < kWindows; ++window)
    result.lacked[window] =
        static_cast<double>(to.lacked[window] - from.lacked[window]) / iterations;
  return result;
}

}  // namespace cyclescope::predict
