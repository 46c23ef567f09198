// When a loop on a simulated core repeats itself, and what it takes then.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "predict/pipeline.h"

namespace cyclescope::predict {

// What had happened when an iteration ended.
struct PipelineSnapshot {
  std::uint64_t iterations = 0;
  std::int64_t now = 0;
  std::array<std::uint64_t, kMostPorts> issued_on{};
  std::array<std::int64_t, kWindows> lacked{};
};

class SteadyState {
 public:
  explicit SteadyState(std::size_t ports) : ports_(ports) {}

  // An iteration ended. `glance` is a part of the core's state that is quickly seen, `hash` all of
  // it: equal states have equal futures. The result where it is as at the end of an earlier one.
  std::optional<PipelineResult> Add(const PipelineSnapshot& end, std::uint64_t glance,
                                    const std::function<std::uint64_t()>& hash_of);

  bool empty() const { return ends_.empty(); }
  // True if two thirds of the iterations took equally long.
  bool ThirdsAgree() const;
  // Over the second half.
  PipelineResult Average() const { return Between(ends_[ends_.size() / 2], ends_.back()); }

 private:
  struct Reference {
    std::uint64_t glance = 0;
    std::uint64_t hash = 0;
    std::size_t end = 0;  // in `ends_`
  };

  PipelineResult Between(const PipelineSnapshot& from, const PipelineSnapshot& to) const;

  std::size_t ports_;
  std::vector<PipelineSnapshot> ends_;  // of iterations
  std::vector<Reference> references_;   // states that later ones are compared with
  std::size_t next_reference_ = 1;      // iterations until the next is kept
};

}  // namespace cyclescope::predict
