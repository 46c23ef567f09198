#include "result/status.h"

#include <array>
#include <utility>

namespace cyclescope {
namespace {

constexpr std::array<std::pair<Status, std::string_view>, 7> kNames = {{
    {Status::kMeasured, "measured"},
    {Status::kDisturbed, "disturbed"},
    {Status::kUnsupported, "unsupported"},
    {Status::kPrivileged, "privileged"},
    {Status::kCrashed, "crashed"},
    {Status::kTimeout, "timeout"},
    {Status::kUnmeasurable, "unmeasurable"},
}};

}  // namespace

std::string_view ToString(Status status) {
  for (const auto& [value, name] : kNames) {
    if (value == status) return name;
  }
  std::unreachable();
}

std::optional<Status> ParseStatus(std::string_view name) {
  for (const auto& [value, known] : kNames) {
    if (known == name) return value;
  }
  return std::nullopt;
}

}  // namespace cyclescope
