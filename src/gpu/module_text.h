// The PTX text of a module, and the values that its kernels start with.
//
//   ModuleText module(device);
//   module.AddEntry("n1", /*most_threads=*/32, body);
//   KernelJob job{.ptx = module.Text(), .upload = module.Upload()};
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/executor.h"

namespace cyclescope::gpu {

// A module: the header, kernels, and the values that they start with.
class ModuleText {
 public:
  static constexpr std::size_t kInputBytes = 128;

  explicit ModuleText(const DeviceFacts& device);

  // A kernel with the parameters of every kernel (executor.h), the registers %out, %mem, %up (64
  // bits), %lane and %thread (32 bits), and `body`. `directives` are lines of its own.
  void AddEntry(std::string_view name, int most_threads, std::string_view body,
                std::string_view directives = "");

  // A new value, there once for each lane. Returns its place in the upload, in lines of
  // kInputBytes: a lane loads it from there, counted from %up.
  std::size_t AddInput(std::uint32_t value);

  std::string Text() const { return text_; }
  std::vector<std::uint32_t> Upload() const;

 private:
  std::string text_;
  std::vector<std::uint32_t> inputs_;
};

// ".version 8.4" is the newest that this driver reads; ".target sm_90a".
std::string PtxHeader(const DeviceFacts& device);

}  // namespace cyclescope::gpu
