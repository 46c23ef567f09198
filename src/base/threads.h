// Work that several threads share.
#pragma once

#include <cstddef>
#include <functional>

namespace cyclescope {

// Runs `work` on this thread and on others beside it, on up to `most` in all; returns when all are
// done. `work` takes what is left to do, item by item: where the system has no more threads to
// give, those that there are do it all.
void RunOnThreads(std::size_t most, const std::function<void()>& work);

}  // namespace cyclescope
