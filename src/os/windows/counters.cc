#include "os/counters.h"

#include <utility>

namespace cyclescope::os {

// There are none to open.
struct Counters::State {};

Result<Counters> Counters::Open(CounterAccess /*access*/) {
  return Failed("Windows gives programs no access to hardware counters");
}

Counters::Counters(std::unique_ptr<State> state) : state_(std::move(state)) {}
Counters::Counters(Counters&&) noexcept = default;
Counters& Counters::operator=(Counters&&) noexcept = default;
Counters::~Counters() = default;

bool Counters::has_reference_cycles() const { return false; }

std::optional<CounterValues> Counters::Read() { return std::nullopt; }

}  // namespace cyclescope::os
