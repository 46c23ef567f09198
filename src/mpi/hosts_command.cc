// `cyclescope-mpi hosts`
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/try.h"
#include "cli/narration.h"
#include "cli/option_table.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cyclescope/measure.h"
#include "cyclescope/result/document.h"
#include "hosts/host_visits.h"
#include "mpi/commands.h"
#include "mpi/watcher.h"
#include "os/interrupt.h"
#include "report/html.h"
#include "report/part_texts.h"

namespace cyclescope::mpi {
namespace {

struct HostsOptions {
  int rounds = 8;
  std::optional<std::uint64_t> seed;
  double patience_s = 120;
  std::string html;
  cli::OutputOptions output;
};

// One rank of every host, the first, in the order of ranks.
struct HostList {
  std::vector<std::string> names;
  std::vector<int> ranks;
};

constexpr char kBetweenWords = '\n';

// Rank 0 finds them, and tells everybody.
HostList FindHosts(const Communicator& ranks, const std::string& own_name) {
  std::string told;
  std::map<std::string, int> seen;
  const std::vector<std::string> names = ranks.Gather(own_name);
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    if (!seen.emplace(names[rank], rank).second) continue;
    told += fmt::format("{}{}{}{}", rank, kBetweenWords, names[rank], kBetweenWords);
  }
  told = ranks.FromRoot(told);
  HostList hosts;
  for (std::size_t at = 0; at < told.size();) {
    const std::size_t middle = told.find(kBetweenWords, at);
    const std::size_t end = told.find(kBetweenWords, middle + 1);
    hosts.ranks.push_back(std::stoi(told.substr(at, middle - at)));
    hosts.names.push_back(told.substr(middle + 1, end - middle - 1));
    at = end + 1;
  }
  return hosts;
}

// What rank 0 has gathered: the thread that measures adds to it, the watcher may take it.
class Gathered {
 public:
  void SetHosts(std::vector<std::string> names) {
    const std::lock_guard lock(mutex_);
    names_ = std::move(names);
  }

  void Add(std::span<const hosts::PairVisit> visits) {
    const std::lock_guard lock(mutex_);
    visits_.insert(visits_.end(), visits.begin(), visits.end());
  }

  void EndRound() {
    const std::lock_guard lock(mutex_);
    ++rounds_;
  }

  // Unset before the hosts are known.
  std::optional<HostMatrix> Conclude(const hosts::HostPlan& plan) const {
    const std::lock_guard lock(mutex_);
    if (names_.empty()) return std::nullopt;
    return hosts::ConcludeHosts(names_, plan, visits_, rounds_);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> names_;
  std::vector<hosts::PairVisit> visits_;
  int rounds_ = 0;
};

// About as long for every size: long messages need fewer round trips to be timed well.
Communicator::PingPong TripsOf(std::int64_t bytes) {
  return {.bytes = bytes, .round_trips = bytes <= 1024 ? 20 : bytes <= 65'536 ? 8 : 3};
}

// What this rank found in one set of pairs, if it has one and begins.
void VisitSet(const Communicator& ranks, const HostList& list, const hosts::HostPlan& plan,
              const std::vector<std::pair<int, int>>& set, std::vector<hosts::PairVisit>& visits) {
  const int own = ranks.rank();
  const auto rank_of = [&](int host) { return list.ranks[static_cast<std::size_t>(host)]; };
  const auto found = std::ranges::find_if(set, [&](const std::pair<int, int>& pair) {
    return rank_of(pair.first) == own || rank_of(pair.second) == own;
  });
  if (found == set.end()) return;
  const bool begins = rank_of(found->first) == own;
  const int partner = rank_of(begins ? found->second : found->first);
  const auto add = [&](int size, std::vector<double> samples) {
    if (begins)
      visits.push_back({found->first, found->second, size, hosts::VisitOf(std::move(samples))});
  };
  for (std::size_t size = 0; size < plan.sizes.size(); ++size) {
    add(static_cast<int>(size), ranks.Exchange(partner, begins, TripsOf(plan.sizes[size])));
  }
  add(hosts::kOfBandwidth, ranks.Send(partner, begins, {.bytes = plan.sizes.back()}));
}

std::string ToBytes(const std::vector<hosts::PairVisit>& visits) {
  std::string bytes(visits.size() * sizeof(hosts::PairVisit), '\0');
  if (!visits.empty()) std::memcpy(bytes.data(), visits.data(), bytes.size());
  return bytes;
}

std::vector<hosts::PairVisit> FromBytes(const std::string& bytes) {
  std::vector<hosts::PairVisit> visits(bytes.size() / sizeof(hosts::PairVisit));
  if (!visits.empty())
    std::memcpy(static_cast<void*>(visits.data()), bytes.data(),
                visits.size() * sizeof(hosts::PairVisit));
  return visits;
}

// Every rank; after each set of pairs rank 0 has its visits, so that a rank that dies takes few
// with it.
void Measure(const Communicator& ranks, const HostList& list, const hosts::HostPlan& plan,
             Gathered& gathered, Watcher* watcher) {
  for (int round = 0; round < plan.rounds; ++round) {
    for (const auto& set : hosts::PairsOfRound(list.names.size(), plan.seed, round)) {
      // Pairs of a set share the network at the same time, as those of a program do.
      ranks.Barrier();
      if (watcher != nullptr) watcher->SignOfLife();
      std::vector<hosts::PairVisit> visits;
      VisitSet(ranks, list, plan, set, visits);
      for (const std::string& bytes : ranks.Gather(ToBytes(visits))) gathered.Add(FromBytes(bytes));
    }
    gathered.EndRound();
  }
}

// Every rank: agrees with the others on the plan and the hosts, and measures.
Result<void> MeetAndMeasure(const Communicator& ranks, const std::string& own_name,
                            hosts::HostPlan& plan, Gathered& gathered, Watcher* watcher) {
  plan.seed = std::stoull(ranks.FromRoot(fmt::format("{}", plan.seed)));
  const HostList list = FindHosts(ranks, own_name);
  if (list.names.size() < 2) {
    return BadInput(fmt::format("all {} ranks are on one host", ranks.size()),
                    "start one on each of several, as with mpirun --map-by ppr:1:node");
  }
  gathered.SetHosts(list.names);
  Measure(ranks, list, plan, gathered, watcher);
  return {};
}

Result<cli::ExitCode> RunOnRoot(const HostsOptions& options, const Communicator& ranks,
                                const Document& run, hosts::HostPlan plan) {
  auto outputs = TRY(cli::Outputs::Open(options.output));
  TRY(outputs.AddExport(options.html,
                        [](const Document& result) { return ToHtml(std::span(&result, 1)); }));
  Gathered gathered;
  const auto write = [&](std::string_view failure) {
    Document result = run;
    result.failure = failure;
    result.hosts = gathered.Conclude(plan);
    result.partial = !result.hosts || result.hosts->partial;
    return outputs.Write(result, [&](const TextStyle& style) {
      return result.hosts ? HostsText(*result.hosts, style) : std::string();
    });
  };
  {
    const os::InterruptGuard guard;
    Watcher watcher({std::chrono::seconds(static_cast<std::int64_t>(options.patience_s))},
                    [&](std::string_view reason) {
                      cli::PrintError({ErrorKind::kFailed, std::string(reason),
                                       "what was measured until then follows"});
                      (void)write(reason);
                      return static_cast<int>(cli::ExitCode::kFailed);
                    });
    TRY(MeetAndMeasure(ranks, NodeName(run), plan, gathered, &watcher));
  }
  TRY(write(""));
  return cli::ExitCode::kDone;
}

Result<cli::ExitCode> RunHosts(const CLI::App& app, const HostsOptions& options,
                               const Communicator& ranks) {
  auto run = TRY(DescribeRun("hosts"));
  run.config.options = cli::GivenOptions(app);
  hosts::HostPlan plan;
  plan.rounds = options.rounds;
  plan.seed = options.seed ? *options.seed : std::random_device()();
  if (ranks.is_root()) return RunOnRoot(options, ranks, run, plan);
  Gathered nothing;
  TRY(MeetAndMeasure(ranks, NodeName(run), plan, nothing, nullptr));
  return cli::ExitCode::kDone;
}

}  // namespace

RankCommand AddHostsCommand(CLI::App& root) {
  CLI::App* app = cli::AddSubcommand(
      root, "hosts", "Latency and bandwidth between every pair of hosts",
      "  mpirun -np 16 --map-by ppr:1:node cyclescope-mpi hosts\n"
      "  mpirun -np 16 --map-by ppr:1:node cyclescope-mpi hosts --html hosts.html\n");
  auto options = std::make_shared<HostsOptions>();
  app->add_option("--rounds", options->rounds, "Visits to each pair (default 8)")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000));
  app->add_option("--seed", options->seed, "Seed of the order of pairs (default: a random one)")
      ->type_name("N");
  cli::AsSeconds(app->add_option("--patience", options->patience_s,
                                 "Stop when no rank answers for this long (default 120)"),
                 1);
  app->add_option("--html", options->html, "Write one self-contained HTML file, too")
      ->type_name("FILE");
  options->output.AddTo(*app);
  return {app,
          [app, options](const Communicator& ranks) { return RunHosts(*app, *options, ranks); }};
}

}  // namespace cyclescope::mpi
