// Long work: whether it is to go on, and how several threads share it.
#pragma once

#include <cstddef>
#include <functional>

namespace cyclescope {

// Asked again and again by long work: false ends it with what there is. Unset: nothing ends it.
using GoesOn = std::function<bool()>;

inline bool MayGoOn(const GoesOn& goes_on) { return !goes_on || goes_on(); }

// Runs `work` on this thread and on others beside it, on up to `most` in all; returns when all are
// done. `work` takes what is left to do, item by item: where the system has no more threads to
// give, those that there are do it all.
void RunOnThreads(std::size_t most, const std::function<void()>& work);

}  // namespace cyclescope
