#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "base/try.h"
#include "gpu/l2_lines.h"
#include "gpu/module_text.h"
#include "gpu/multiprocessors.h"

namespace cyclescope::gpu {
namespace {

// The first compute capability that has clusters, and their sizes: eight is what every such GPU
// takes.
constexpr int kFirstWithClusters = 9;
constexpr std::array<unsigned, 7> kSizes = {2, 3, 4, 5, 6, 7, 8};
constexpr int kTimes = 2;  // each size: blocks do not lie the same way each time

std::string EntryOf(unsigned size) { return fmt::format("cluster{}", size); }

void AddClusterEntry(unsigned size, ModuleText& module) {
  // out[2 * block]: the multiprocessor; out[2 * block + 1]: the cluster.
  module.AddEntry(EntryOf(size), 1,
                  "  .reg .b64 %to, %sm, %cluster;\n"
                  "  .reg .b32 %word;\n"
                  "  mov.u32 %word, %ctaid.x;\n"
                  "  mul.wide.u32 %to, %word, 16;\n"
                  "  add.u64 %to, %to, %out;\n"
                  "  mov.u32 %word, %smid;\n"
                  "  cvt.u64.u32 %sm, %word;\n"
                  "  mov.u32 %word, %clusterid.x;\n"
                  "  cvt.u64.u32 %cluster, %word;\n"
                  "  st.global.u64 [%to], %sm;\n"
                  "  st.global.u64 [%to+8], %cluster;\n",
                  fmt::format(".reqnctapercluster {}\n", size));
}

}  // namespace

JobResult<std::vector<GpuGroup>> MeasureGpcs(Executor& executor, const DeviceFacts& device) {
  if (device.major < kFirstWithClusters) return std::vector<GpuGroup>();
  const auto sms = static_cast<unsigned>(device.multiprocessors);
  ModuleText module(device);
  for (const unsigned size : kSizes) AddClusterEntry(size, module);
  KernelJob job;
  job.device = device.ordinal;
  job.ptx = module.Text();
  job.upload = module.Upload();
  job.out_words = std::size_t{2} * sms;
  for (int time = 0; time < kTimes; ++time) {
    for (const unsigned size : kSizes) {
      if (size > sms) continue;
      job.launches.push_back({.entry = EntryOf(size),
                              .blocks = sms / size * size,
                              .threads = 1,
                              .shared_bytes = WholeShared(device)});
    }
  }
  const auto result = TRY(executor.Run(job));
  std::vector<std::vector<int>> clusters;
  for (std::size_t launch = 0; launch < job.launches.size(); ++launch) {
    std::map<std::uint64_t, std::vector<int>> of_launch;
    for (std::size_t block = 0; block < job.launches[launch].blocks; ++block) {
      const std::uint64_t* words = &result.out[launch * job.out_words + 2 * block];
      of_launch[words[1]].push_back(static_cast<int>(words[0]));
    }
    for (auto& [number, members] : of_launch) clusters.push_back(std::move(members));
  }
  return JoinClusters(clusters);
}

std::vector<GpuGroup> JoinClusters(const std::vector<std::vector<int>>& clusters) {
  std::vector<std::vector<int>> joined;
  for (const std::vector<int>& cluster : clusters) {
    std::vector<int> all = cluster;
    const auto meets = [&cluster](const std::vector<int>& other) {
      return std::ranges::any_of(
          cluster, [&](int sm) { return std::ranges::find(other, sm) != other.end(); });
    };
    for (const std::vector<int>& other : joined) {
      if (meets(other)) all.insert(all.end(), other.begin(), other.end());
    }
    std::erase_if(joined, meets);
    std::ranges::sort(all);
    const auto repeated = std::ranges::unique(all);
    all.erase(repeated.begin(), repeated.end());
    joined.push_back(std::move(all));
  }
  std::ranges::sort(joined);
  // Multiprocessors come in pairs (TPCs). Some pairs belong to no GPC: a cluster of more than two
  // blocks never runs there.
  constexpr std::size_t kTpc = 2;
  std::vector<GpuGroup> groups;
  int gpcs = 0;
  for (std::vector<int>& sms : joined) {
    std::string name = sms.size() > kTpc ? fmt::format("GPC {}", gpcs++) : "apart";
    groups.push_back({std::move(name), std::move(sms)});
  }
  return groups;
}

}  // namespace cyclescope::gpu
