#include "base/work.h"

#include <system_error>
#include <thread>
#include <vector>

namespace cyclescope {

void RunOnThreads(std::size_t most, const std::function<void()>& work) {
  std::vector<std::jthread> others;
  while (others.size() + 1 < most) {
    try {
      others.emplace_back(work);
    } catch (const std::system_error&) {
      break;
    }
  }
  work();
}

}  // namespace cyclescope
