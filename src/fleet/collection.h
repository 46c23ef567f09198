// Many result documents, one after the other, and the verdict on them all.
//
//   Collection collection;
//   for (...) collection.Add(*ParseFigures(text, file));
//   Fleet fleet = collection.Judge({});
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/fleet_judge.h"
#include "fleet/node_metrics.h"

namespace cyclescope::fleet {

class Collection {
 public:
  // Of the document only its metrics are kept.
  void Add(const Document& document);
  void AddUnread(std::string source, std::string reason);

  std::size_t results() const { return passes_.size(); }

  // Passes of one node are put together; nodes that a job names and that left nothing are there
  // too, as nodes without data.
  Fleet Judge(const JudgeSettings& settings) const;

 private:
  MetricTable metrics_;
  std::vector<Pass> passes_;
  std::vector<UnreadResult> unread_;
};

// Lists of nodes as Slurm writes them: "n[1-3,7],login".
// In the list's order; unset for what is no such list, or names more nodes than any cluster has.
std::optional<std::vector<std::string>> ExpandNodeList(std::string_view list);

}  // namespace cyclescope::fleet
