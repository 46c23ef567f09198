#include "gpu/module_text.h"

#include <fmt/core.h>

namespace cyclescope::gpu {
namespace {

// The upload begins with a line that results are stored to; inputs follow.
constexpr std::size_t kFirstInput = 1;
constexpr std::size_t kLanes = ModuleText::kInputBytes / sizeof(std::uint32_t);

}  // namespace

std::string PtxHeader(const DeviceFacts& device) {
  // CUDA 11.x reads PTX 7.x, 12.x 8.x, 13.x 9.x.
  const int major = device.driver_version / 1000;
  const int minor = device.driver_version % 1000 / 10;
  const bool has_own_features = device.major >= 9;  // sm_90a, sm_100a: of this generation alone
  return fmt::format(".version {}.{}\n.target sm_{}{}{}\n.address_size 64\n", major - 4, minor,
                     device.major, device.minor, has_own_features ? "a" : "");
}

ModuleText::ModuleText(const DeviceFacts& device)
    : text_(PtxHeader(device) + ".extern .shared .align 16 .b8 shared_area[];\n") {}

void ModuleText::AddEntry(std::string_view name, int most_threads, std::string_view body,
                          std::string_view directives) {
  text_ += fmt::format(
      ".visible .entry {}(.param .u64 out, .param .u64 memory, .param .u64 upload, .param .u64 a,\n"
      "    .param .u64 b, .param .u64 c, .param .u64 d)\n"
      ".maxntid {}\n"
      "{}"
      "{{\n"
      "  .reg .b64 %out, %mem, %up, %sink, %up_lane;\n"
      "  .reg .b32 %lane, %thread;\n"
      "  ld.param.u64 %out, [out];\n"
      "  ld.param.u64 %mem, [memory];\n"
      "  ld.param.u64 %up, [upload];\n"
      "  mov.u64 %sink, %up;\n"
      "  mov.u32 %lane, %laneid;\n"
      "  mov.u32 %thread, %tid.x;\n"
      "  mul.wide.u32 %up_lane, %lane, 4;\n"
      "  add.u64 %up, %up, %up_lane;\n"
      "{}"
      "  ret;\n"
      "}}\n",
      name, most_threads, directives, body);
}

std::size_t ModuleText::AddInput(std::uint32_t value) {
  inputs_.push_back(value);
  return inputs_.size() - 1 + kFirstInput;
}

std::vector<std::uint32_t> ModuleText::Upload() const {
  std::vector<std::uint32_t> words(kFirstInput * kLanes, 0);
  for (const std::uint32_t value : inputs_) words.insert(words.end(), kLanes, value);
  return words;
}

}  // namespace cyclescope::gpu
