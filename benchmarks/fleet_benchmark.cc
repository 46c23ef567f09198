// How long `fleet` takes for very many results, how much memory, and how many it finds:
//   fleet_benchmark [NODES]     default 10,000; writes that number of documents of real size
//   first
#include <fmt/core.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "cyclescope/fleet.h"
#include "cyclescope/json.h"
#include "fleet/testing/simulated_fleet.h"

namespace cyclescope {
namespace {

using fleet::testing::Fate;
using fleet::testing::FleetPlan;
using fleet::testing::SimulatedFleet;

double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The most memory that this process ever had, in MB.
double PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// A survey of two CPUs takes about 170 KB, most of it samples.
double WriteDocuments(const SimulatedFleet& made, int nodes, const std::filesystem::path& folder) {
  double megabytes = 0;
  for (int node = 0; node < nodes; ++node) {
    const std::string text = ToJson(made.Survey(node));
    std::ofstream(folder / fmt::format("n{}.json", node), std::ios::binary) << text;
    megabytes += static_cast<double>(text.size()) * 1e-6;
  }
  return megabytes;
}

int Main(int nodes) {
  const FleetPlan plan = {.nodes = nodes,
                          .slow_clock = 0.01,
                          .far_memory = 0.005,
                          .noisy = 0.02,
                          .samples = 220,
                          .seed = 11};
  const SimulatedFleet made(plan);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("cyclescope-fleet-{}", nodes);
  std::filesystem::create_directories(folder);
  const double megabytes = WriteDocuments(made, nodes, folder);
  fmt::print("{} documents, {:.0f} MB; {:.0f} MB of memory before reading\n", nodes, megabytes,
             PeakMegabytes());

  const auto begin = std::chrono::steady_clock::now();
  const auto judged = JudgeFleet({.results = {folder.string()}});
  const double judged_s = SecondsSince(begin);
  if (!judged) {
    fmt::print("{}\n", judged.error().ToString());
    return 1;
  }
  const std::string text = ToJson(*judged);
  fmt::print("judged in {:.1f} s, with the verdict as JSON ({:.0f} MB) {:.1f} s; peak {:.0f} MB\n",
             judged_s, static_cast<double>(text.size()) * 1e-6, SecondsSince(begin),
             PeakMegabytes());

  int bad = 0;
  int found = 0;
  int equal = 0;
  int alarms = 0;
  for (const FleetNode& node : judged->fleet->nodes) {
    const Fate fate = made.FateOf(std::stoi(node.name.substr(1)) - 1);
    const bool is_named =
        node.verdict == NodeVerdict::kSlow || node.verdict == NodeVerdict::kDifferent;
    const bool is_bad = fate == Fate::kSlowClock || fate == Fate::kFarMemory;
    (is_bad ? bad : equal) += 1;
    (is_bad ? found : alarms) += is_named ? 1 : 0;
  }
  fmt::print("found {} of {} slow ones; {} false alarms among {}\n", found, bad, alarms, equal);
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace cyclescope

int main(int argc, char** argv) { return cyclescope::Main(argc > 1 ? std::atoi(argv[1]) : 10'000); }
