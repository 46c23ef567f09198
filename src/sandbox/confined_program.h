// A program of the system, such as a compiler, that works on input which someone else wrote.
//
//   auto ended = RunConfined({.words = {"/usr/bin/gcc", "-S", "-o", "-", "-x", "c", "-"},
//                             .input = source}, goes_on);
//   if (ended && ended->ending == ConfinedEnding::kExited) Use(ended->output, ended->errors);
//
// On Linux it runs in namespaces of its own (user, mount, process, network, IPC, host name): it
// sees /usr, read-only, a folder /tmp in memory that is gone with it, and nothing else; there is no
// network, no process but its own, and a system-call filter refuses what a compiler does not need.
// It has limits on memory, processor time and what it writes. It ends with its owner.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/work.h"
#include "cyclescope/base/error.h"

namespace cyclescope::sandbox {

struct ConfinedProgram {
  std::vector<std::string> words;  // the program's path and its arguments
  std::string input;               // on its standard input
  std::chrono::milliseconds wall_limit = std::chrono::seconds(10);
  std::size_t most_output = std::size_t{8} << 20;  // bytes, on standard output and on error
};

enum class ConfinedEnding {
  kExited,
  kKilled,         // by a signal, as at its limit of memory or processor time
  kTimedOut,       // it took longer than it may
  kTooMuchOutput,  // it wrote more than it may
  kStopped,        // `goes_on` said no
};

struct ConfinedResult {
  ConfinedEnding ending = ConfinedEnding::kExited;
  int exit_status = 0;
  std::string output;
  std::string errors;  // what it wrote on standard error
};

// An error where this system confines no program, whichever it is. Where it confines some, only a
// try tells: the machine's settings may forbid it.
Result<void> SystemConfines();

// An error where it cannot be confined, or not be started: then nothing of it has run. `goes_on` is
// asked several times a second.
Result<ConfinedResult> RunConfined(const ConfinedProgram& program, const GoesOn& goes_on = {});

}  // namespace cyclescope::sandbox
