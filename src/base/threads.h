// Work that several threads share.
#pragma once

#include <cstddef>
#include <functional>

namespace cyclescope {

// `work` on this thread and on others beside it, `most` in all; returns when all are done. Whoever
// comes takes what is left to do: where the system has no more threads to give, those that there
// are do it all.
void RunOnThreads(std::size_t most, const std::function<void()>& work);

}  // namespace cyclescope
