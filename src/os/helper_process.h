// A process of our own that answers questions, for what may hang or die: then it is the helper that
// does, and its owner goes on.
//
//   auto helper = HelperProcess::Start([] { return Server(); });   // a function of a request
//   HelperAnswer answer = helper->Ask("how long?", 2s, goes_on);
//   if (answer.ending != HelperEnding::kAnswered) ...              // it is gone by now
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/work.h"
#include "cyclescope/base/error.h"

namespace cyclescope::os {

// A variable of this process's environment: for a helper, and no other process.
void SetEnvironment(const char* name, const char* value);

enum class HelperEnding {
  kAnswered,
  kTimedOut,  // it took longer than it may
  kDied,
  kStopped,  // the caller did not wait any longer
};

struct HelperAnswer {
  HelperEnding ending = HelperEnding::kAnswered;
  std::string text;       // its answer
  std::string how_ended;  // of one that died: "signal 11"
};

class HelperProcess {
 public:
  using Serve = std::function<std::string(std::string_view request)>;

  // `make` runs in the helper, once, before the first request. The helper is a copy of this process
  // (fork), is told nothing of Ctrl-C, and ends with its owner.
  static Result<HelperProcess> Start(const std::function<Serve()>& make);

  HelperProcess(HelperProcess&& other) noexcept;
  HelperProcess& operator=(HelperProcess&& other) noexcept;
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;
  ~HelperProcess();

  // Unless it answered, the helper is killed and takes no more requests. `goes_on` is asked several
  // times a second.
  HelperAnswer Ask(std::string_view request, std::chrono::milliseconds limit,
                   const GoesOn& goes_on);

  bool is_alive() const { return socket_ >= 0; }

 private:
  HelperProcess(int process, int socket) : process_(process), socket_(socket) {}

  // Kills it and waits a little: one that a driver keeps in the kernel is left to the kernel.
  std::string End();
  HelperAnswer EndAs(HelperEnding ending);

  int process_ = -1;
  int socket_ = -1;
};

}  // namespace cyclescope::os
