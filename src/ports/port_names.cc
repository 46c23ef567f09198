#include "ports/port_names.h"

#include <algorithm>
#include <set>

namespace cyclescope::ports {
namespace {

// How many classes use both or neither of the two.
int Agreement(int port, const std::string& name, const std::vector<NamedSet>& sets) {
  int agreement = 0;
  for (const NamedSet& set : sets) {
    if (set.model.empty()) continue;
    const bool ours = (set.ports >> port & 1) != 0;
    const bool theirs = std::ranges::find(set.model, name) != set.model.end();
    // Being used together says more than not being used.
    agreement += ours && theirs ? 2 : ours != theirs ? -2 : 0;
  }
  return agreement;
}

}  // namespace

std::string ShortPortName(const std::string& name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == name.size() || name.find("Port") == std::string::npos) {
    const std::size_t unit = name.find("Unit");
    return unit == std::string::npos ? name : name.substr(unit + 4);
  }
  const std::size_t first = std::min(name.find_first_not_of('0', digits), name.size() - 1);
  return "p" + name.substr(first);
}

std::vector<std::string> NamePorts(int count, const std::vector<NamedSet>& sets) {
  std::set<std::string> free;
  for (const NamedSet& set : sets) free.insert(set.model.begin(), set.model.end());
  std::vector<std::string> names(static_cast<std::size_t>(count));
  std::vector<int> unnamed;
  for (int port = 0; port < count; ++port) unnamed.push_back(port);
  // The best match of all is settled first.
  while (!unnamed.empty() && !free.empty()) {
    int best = 0;
    int best_port = -1;
    std::string best_name;
    for (const int port : unnamed) {
      for (const std::string& name : free) {
        const int agreement = Agreement(port, name, sets);
        if (agreement <= best) continue;
        best = agreement;
        best_port = port;
        best_name = name;
      }
    }
    if (best_port < 0) break;
    names[static_cast<std::size_t>(best_port)] = best_name;
    free.erase(best_name);
    std::erase(unnamed, best_port);
  }
  char letter = 'A';
  for (const int port : unnamed) {
    // A model may call one of its units so, too.
    while (std::ranges::find(names, std::string(1, letter)) != names.end()) ++letter;
    names[static_cast<std::size_t>(port)] = letter++;
  }
  return names;
}

}  // namespace cyclescope::ports
