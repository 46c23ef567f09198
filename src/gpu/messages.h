// Requests and answers as bytes, between the tool and its helper. Both are one program: numbers are
// written as they lie in memory.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gpu/executor.h"

namespace cyclescope::gpu {

struct DevicesQuestion {};
struct DevicesAnswer {
  std::vector<DeviceFacts> devices;
};

using Question = std::variant<DevicesQuestion, KernelJob, CompileJob, HostTripJob, PeerTripJob>;
using Answer = std::variant<JobFailure, DevicesAnswer, KernelResult, CompileResult, HostTripResult,
                            PeerTripResult>;

template <typename T, typename Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;

// All members of each struct, in one place.
auto Members(Is<DevicesQuestion> auto&) { return std::tie(); }
auto Members(Is<DevicesAnswer> auto& v) { return std::tie(v.devices); }
auto Members(Is<DeviceFacts> auto& v) {
  return std::tie(v.ordinal, v.name, v.pci, v.major, v.minor, v.multiprocessors,
                  v.threads_per_multiprocessor, v.shared_per_multiprocessor, v.shared_per_block,
                  v.clock_khz, v.memory_clock_khz, v.memory_bus_bits, v.l2_bytes, v.memory_bytes,
                  v.free_bytes, v.driver_version, v.peers);
}
auto Members(Is<Launch> auto& v) {
  return std::tie(v.entry, v.blocks, v.threads, v.shared_bytes, v.shared_percent, v.a, v.b, v.c,
                  v.d);
}
auto Members(Is<KernelJob> auto& v) {
  return std::tie(v.device, v.ptx, v.memory_bytes, v.upload, v.out_words, v.launches, v.limit_ms);
}
auto Members(Is<KernelResult> auto& v) { return std::tie(v.out, v.cubin); }
auto Members(Is<CompileJob> auto& v) { return std::tie(v.device, v.texts, v.limit_ms); }
auto Members(Is<CompileResult> auto& v) { return std::tie(v.compiled); }
auto Members(Is<HostTripJob> auto& v) {
  return std::tie(v.device, v.ptx, v.cpu, v.batches, v.trips, v.limit_ms);
}
auto Members(Is<HostTripResult> auto& v) { return std::tie(v.nanoseconds); }
auto Members(Is<PeerTripJob> auto& v) {
  return std::tie(v.first, v.second, v.first_ptx, v.second_ptx, v.out_words, v.a, v.b, v.limit_ms);
}
auto Members(Is<PeerTripResult> auto& v) { return std::tie(v.out); }
auto Members(Is<JobFailure> auto& v) { return std::tie(v.kind, v.message, v.hint); }

class ByteWriter {
 public:
  template <typename T>
  void Put(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    } else if constexpr (requires { value.data(); }) {
      Put(std::uint64_t{value.size()});
      if constexpr (std::is_arithmetic_v<typename T::value_type>) {
        bytes_.append(reinterpret_cast<const char*>(value.data()),
                      value.size() * sizeof(typename T::value_type));
      } else {
        for (const auto& each : value) Put(each);
      }
    } else {
      std::apply([this](const auto&... member) { (Put(member), ...); }, Members(value));
    }
  }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// What does not fit leaves `failed` set, and values as they were.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  void Get(T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      Copy(&value, sizeof(value));
    } else if constexpr (requires { value.data(); }) {
      std::uint64_t size = 0;
      Get(size);
      constexpr std::uint64_t kLeastBytes =
          std::is_arithmetic_v<typename T::value_type> ? sizeof(typename T::value_type) : 1;
      if (failed_ || size > bytes_.size() / kLeastBytes) {
        failed_ = true;
        return;
      }
      value.resize(size);
      if constexpr (std::is_arithmetic_v<typename T::value_type>) {
        Copy(value.data(), size * sizeof(typename T::value_type));
      } else {
        for (auto& each : value) Get(each);
      }
    } else {
      std::apply([this](auto&... member) { (Get(member), ...); }, Members(value));
    }
  }
  bool is_whole() const { return !failed_ && bytes_.empty(); }

 private:
  void Copy(void* to, std::size_t size) {
    if (failed_ || size > bytes_.size()) {
      failed_ = true;
      return;
    }
    if (size > 0) std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }

  std::string_view bytes_;
  bool failed_ = false;
};

// A variant as the index of its alternative and that one's members.
template <typename... Kinds>
std::string ToBytes(const std::variant<Kinds...>& value) {
  ByteWriter writer;
  writer.Put(static_cast<std::uint8_t>(value.index()));
  std::visit([&](const auto& each) { writer.Put(each); }, value);
  return writer.Take();
}

template <typename Variant, std::size_t... Index>
bool EmplaceAt(std::size_t index, Variant& value, std::index_sequence<Index...>) {
  return ((index == Index && (value.template emplace<Index>(), true)) || ...);
}

// False: the bytes are none.
template <typename... Kinds>
bool FromBytes(std::string_view bytes, std::variant<Kinds...>& value) {
  ByteReader reader(bytes);
  std::uint8_t index = 0;
  reader.Get(index);
  if (!EmplaceAt(index, value, std::index_sequence_for<Kinds...>())) return false;
  std::visit([&](auto& each) { reader.Get(each); }, value);
  return reader.is_whole();
}

}  // namespace cyclescope::gpu
