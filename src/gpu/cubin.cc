#include "gpu/cubin.h"

#include <fmt/core.h>

#include <cstring>
#include <string>

namespace cyclescope::gpu {
namespace {

// A little-endian number of the file; none where it is cut off.
template <typename T>
std::optional<T> NumberAt(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value = 0;
  std::memcpy(&value, file.data() + offset, sizeof(value));
  return value;
}

}  // namespace

std::optional<std::int64_t> CodeBytes(std::string_view cubin, std::string_view entry) {
  // ELF-64, System V ABI: the section headers' place, size and number, and the one with the names.
  if (!cubin.starts_with("\177ELF\2\1")) return std::nullopt;
  const auto headers = NumberAt<std::uint64_t>(cubin, 0x28);
  const auto header_bytes = NumberAt<std::uint16_t>(cubin, 0x3a);
  const auto count = NumberAt<std::uint16_t>(cubin, 0x3c);
  const auto names_index = NumberAt<std::uint16_t>(cubin, 0x3e);
  if (!headers || !header_bytes || !count || !names_index) return std::nullopt;
  const auto header = [&](std::uint64_t index) { return *headers + index * *header_bytes; };
  const auto names = NumberAt<std::uint64_t>(cubin, header(*names_index) + 0x18);
  if (!names) return std::nullopt;
  const std::string wanted = fmt::format(".text.{}", entry);
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto name = NumberAt<std::uint32_t>(cubin, header(i));
    const auto bytes = NumberAt<std::uint64_t>(cubin, header(i) + 0x20);
    if (!name || !bytes || *names + *name >= cubin.size()) return std::nullopt;
    const std::string_view text = cubin.substr(*names + *name);
    if (text.substr(0, text.find('\0')) == wanted) return static_cast<std::int64_t>(*bytes);
  }
  return std::nullopt;
}

}  // namespace cyclescope::gpu
