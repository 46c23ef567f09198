#include "cli/options.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <map>

#include "cli/option_table.h"

namespace cyclescope::cli {

void CpuOption::AddTo(CLI::App& app) {
  app.add_option("--cpus", list, "CPUs to use, as in 0-3,8; all that may be used when left out")
      ->type_name("LIST")
      // An empty list is a variable that was not set, not a wish for every CPU.
      ->check([](const std::string& text) {
        return text.empty() ? "no CPUs given; write them as in 0-3,8" : "";
      });
}

Result<os::CpuList> CpuOption::Select() const {
  auto allowed = os::AllowedCpus();
  if (!allowed) return allowed;
  return os::SelectCpus(list, *allowed);
}

void AddCyclesOption(CLI::App& app, CycleChoice& choice) {
  const std::map<std::string, CycleChoice> names = {
      {"auto", CycleChoice::kAuto},
      {"counter-user", CycleChoice::kCounterUser},
      {"counter", CycleChoice::kCounter},
      {"reference", CycleChoice::kReference},
  };
  // A function instead of CLI11's transformer, whose messages show the enumerators' numbers.
  OneOf(app.add_option_function<std::string>(
            "--cycles", [&choice, names](const std::string& name) { choice = names.at(name); },
            "Where cycles come from: auto (default), counter-user, counter, reference"),
        {"auto", "counter-user", "counter", "reference"})
      ->type_name("SOURCE");
}

void TopologyOption::AddTo(CLI::App& app) {
  app.add_option("--topology", file,
                 "Read the topology from an hwloc XML file instead of this machine")
      ->type_name("FILE");
}

std::vector<GivenOption> GivenOptions(const CLI::App& app) {
  std::vector<GivenOption> given;
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0) continue;
    given.emplace_back(option->get_single_name(),
                       fmt::format("{}", fmt::join(option->results(), " ")));
  }
  return given;
}

}  // namespace cyclescope::cli
