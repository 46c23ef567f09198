#include "gpu/device_server.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/try.h"
#include "base/work.h"
#include "gpu/messages.h"
#include "os/clock.h"
#include "os/cpus.h"

namespace cyclescope::gpu {
namespace {

// This thread, on one CPU: afterwards it may use all of them again.
class PinnedForAWhile {
 public:
  PinnedForAWhile() : cpus_(os::AllowedCpus()) {}
  ~PinnedForAWhile() {
    if (cpus_) (void)os::Unpin(*cpus_);
  }
  PinnedForAWhile(const PinnedForAWhile&) = delete;
  PinnedForAWhile& operator=(const PinnedForAWhile&) = delete;

 private:
  Result<os::CpuList> cpus_;
};

// The compiler's complaint without what it says of its own: "line 12; error : Unknown symbol 'x'".
std::string ComplaintOf(std::string_view log) {
  std::string_view line = log;
  const std::size_t at = log.find("line ");
  if (at != std::string_view::npos) line = log.substr(at);
  line = line.substr(0, line.find('\n'));
  return std::string(line);
}

}  // namespace

std::string DeviceServer::Serve(std::string_view question) {
  Question asked;
  if (!FromBytes(question, asked)) {
    return ToBytes(Answer(JobFailure{FailureKind::kRefused, "the request is not valid", ""}));
  }
  const auto answer = [&](const auto& job) -> Answer {
    using Job = std::remove_cvref_t<decltype(job)>;
    if (auto opened = OpenDriver(); !opened) return opened.error();
    if constexpr (std::same_as<Job, DevicesQuestion>) {
      auto devices = Devices();
      if (!devices) return devices.error();
      return DevicesAnswer{std::move(*devices)};
    } else {
      auto result = Run(job);
      if (!result) return result.error();
      return std::move(*result);
    }
  };
  return ToBytes(std::visit(answer, asked));
}

JobResult<void> DeviceServer::OpenDriver() {
  if (driver_) return {};
  driver_ = TRY(Driver::Open(library_));
  return {};
}

JobResult<std::vector<DeviceFacts>> DeviceServer::Devices() {
  int count = 0;
  TRY(Check(driver_->api().DeviceGetCount(&count), "cuDeviceGetCount"));
  std::vector<DeviceFacts> devices;
  for (int i = 0; i < count; ++i) {
    devices.push_back(TRY(FactsOf(i, count)));
  }
  return devices;
}

JobResult<DeviceFacts> DeviceServer::FactsOf(int ordinal, int count) {
  const cuda::Api& api = driver_->api();
  TRY(Use(ordinal));
  DeviceFacts facts;
  facts.ordinal = ordinal;
  cuda::Device device = 0;
  TRY(Check(api.DeviceGet(&device, ordinal), "cuDeviceGet"));
  std::array<char, 256> name = {};
  TRY(Check(api.DeviceGetName(name.data(), name.size() - 1, device), "cuDeviceGetName"));
  facts.name = name.data();
  int domain = 0;
  int bus = 0;
  int slot = 0;
  int l2_bytes = 0;
  const std::pair<int, int*> attributes[] = {
      {cuda::kCapabilityMajor, &facts.major},
      {cuda::kCapabilityMinor, &facts.minor},
      {cuda::kMultiprocessors, &facts.multiprocessors},
      {cuda::kThreadsPerMultiprocessor, &facts.threads_per_multiprocessor},
      {cuda::kSharedBytesPerMultiprocessor, &facts.shared_per_multiprocessor},
      {cuda::kSharedBytesPerBlockOptIn, &facts.shared_per_block},
      {cuda::kClockRateKhz, &facts.clock_khz},
      {cuda::kMemoryClockRateKhz, &facts.memory_clock_khz},
      {cuda::kMemoryBusBits, &facts.memory_bus_bits},
      {cuda::kL2Bytes, &l2_bytes},
      {cuda::kPciDomain, &domain},
      {cuda::kPciBus, &bus},
      {cuda::kPciDevice, &slot}};
  for (const auto& [attribute, value] : attributes) {
    TRY(Check(api.DeviceGetAttribute(value, attribute, device), "cuDeviceGetAttribute"));
  }
  facts.l2_bytes = l2_bytes;
  facts.pci = fmt::format("{:04x}:{:02x}:{:02x}", domain, bus, slot);
  std::size_t total = 0;
  std::size_t free = 0;
  TRY(Check(api.DeviceTotalMem(&total, device), "cuDeviceTotalMem"));
  facts.memory_bytes = static_cast<std::int64_t>(total);
  TRY(Check(api.MemGetInfo(&free, &total), "cuMemGetInfo"));
  facts.free_bytes = static_cast<std::int64_t>(free);
  TRY(Check(api.DriverGetVersion(&facts.driver_version), "cuDriverGetVersion"));
  for (int peer = 0; peer < count; ++peer) {
    if (peer == ordinal) continue;
    cuda::Device other = 0;
    int can = 0;
    TRY(Check(api.DeviceGet(&other, peer), "cuDeviceGet"));
    TRY(Check(api.DeviceCanAccessPeer(&can, device, other), "cuDeviceCanAccessPeer"));
    if (can != 0) facts.peers.push_back(peer);
  }
  return facts;
}

JobResult<DeviceServer::OpenDevice*> DeviceServer::Use(int ordinal) {
  const cuda::Api& api = driver_->api();
  OpenDevice& open = devices_[ordinal];
  if (open.context == nullptr) {
    cuda::Device device = 0;
    TRY(Check(api.DeviceGet(&device, ordinal), "cuDeviceGet", FailureKind::kNoDevice));
    TRY(Check(api.PrimaryCtxRetain(&open.context, device), "cuDevicePrimaryCtxRetain"));
  }
  TRY(Check(api.CtxSetCurrent(open.context), "cuCtxSetCurrent"));
  if (open.stream == nullptr) {
    // One that waits for the default stream: copies and clearing return before they are done.
    TRY(Check(api.StreamCreate(&open.stream, 0), "cuStreamCreate"));
  }
  return &open;
}

JobResult<std::string> DeviceServer::CompileToCubin(const std::string& ptx) const {
  const cuda::Api& api = driver_->api();
  std::vector<char> log(1 << 14);
  int options[] = {cuda::kJitErrorLog, cuda::kJitErrorLogBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  cuda::Link link = nullptr;
  TRY(Check(api.LinkCreate(2, options, values, &link), "cuLinkCreate"));
  // The text's last byte is a zero, and counts.
  cuda::Status status = api.LinkAddData(link, cuda::kJitInputPtx, const_cast<char*>(ptx.c_str()),
                                        ptx.size() + 1, "cyclescope", 0, nullptr, nullptr);
  void* cubin = nullptr;
  std::size_t bytes = 0;
  if (status == cuda::kSuccess) status = api.LinkComplete(link, &cubin, &bytes);
  JobResult<std::string> result;
  if (status == cuda::kSuccess) {
    result = std::string(static_cast<const char*>(cubin), bytes);
  } else {
    JobFailure failure = Check(status, "the driver's compiler", FailureKind::kCompiler).error();
    if (const std::string complaint = ComplaintOf(log.data()); !complaint.empty())
      failure.message = "the driver's compiler: " + complaint;
    result = std::unexpected(std::move(failure));
  }
  TRY(Check(api.LinkDestroy(link), "cuLinkDestroy"));
  return result;
}

JobResult<const DeviceServer::Compiled*> DeviceServer::Compile(OpenDevice& device,
                                                               const std::string& ptx) {
  for (const Compiled& each : device.modules) {
    if (each.ptx == ptx) return &each;
  }
  constexpr std::size_t kMaxModules = 256;  // more than there are headline forms
  if (device.modules.size() >= kMaxModules) {
    TRY(Check(driver_->api().ModuleUnload(device.modules.front().module), "cuModuleUnload"));
    device.modules.erase(device.modules.begin());
  }
  Compiled compiled;
  compiled.ptx = ptx;
  if (auto ahead = device.cubins.extract(ptx)) {
    compiled.cubin = std::move(ahead.mapped());
  } else {
    compiled.cubin = TRY(CompileToCubin(ptx));
  }
  TRY(Check(driver_->api().ModuleLoadData(&compiled.module, compiled.cubin.data()),
            "cuModuleLoadData"));
  device.modules.push_back(std::move(compiled));
  return &device.modules.back();
}

JobResult<void> DeviceServer::Grow(Buffer& buffer, std::uint64_t bytes, bool clear) {
  const cuda::Api& api = driver_->api();
  bytes = std::max<std::uint64_t>(bytes, 256);
  if (buffer.bytes < bytes) {
    if (buffer.pointer != 0) TRY(Check(api.MemFree(std::exchange(buffer.pointer, 0)), "cuMemFree"));
    buffer.bytes = 0;
    TRY(Check(api.MemAlloc(&buffer.pointer, bytes), "cuMemAlloc"));
    buffer.bytes = bytes;
    clear = true;
  }
  if (clear) TRY(Check(api.MemsetD8(buffer.pointer, 0, bytes), "cuMemsetD8"));
  return {};
}

JobResult<cuda::Function> DeviceServer::FunctionOf(const Compiled& compiled, const Launch& launch) {
  const cuda::Api& api = driver_->api();
  cuda::Function function = nullptr;
  TRY(Check(api.ModuleGetFunction(&function, compiled.module, launch.entry.c_str()),
            "cuModuleGetFunction"));
  constexpr unsigned kSharedWithoutAsking = 48 * 1024;
  if (launch.shared_bytes > kSharedWithoutAsking) {
    TRY(Check(api.FuncSetAttribute(function, cuda::kFunctionMaxDynamicShared,
                                   static_cast<int>(launch.shared_bytes)),
              "cuFuncSetAttribute"));
  }
  if (launch.shared_percent >= 0) {
    TRY(Check(api.FuncSetAttribute(function, cuda::kFunctionSharedCarveout, launch.shared_percent),
              "cuFuncSetAttribute"));
  }
  return function;
}

JobResult<void> DeviceServer::Start(OpenDevice& device, const Compiled& compiled,
                                    const Launch& launch, cuda::Pointer out, cuda::Pointer memory) {
  const auto function = TRY(FunctionOf(compiled, launch));
  std::array<std::uint64_t, 7> values = {
      out, memory, device.upload.pointer, launch.a, launch.b, launch.c, launch.d};
  std::array<void*, 7> arguments = {};
  for (std::size_t i = 0; i < values.size(); ++i) arguments[i] = &values[i];
  return Check(
      driver_->api().LaunchKernel(function, launch.blocks, 1, 1, launch.threads, 1, 1,
                                  launch.shared_bytes, device.stream, arguments.data(), nullptr),
      "cuLaunchKernel");
}

// Asks, and does not wait in the driver, so that the tool can end this process at any time.
JobResult<void> DeviceServer::Wait(OpenDevice& device) {
  for (int asked = 0;; ++asked) {
    const cuda::Status status = driver_->api().StreamQuery(device.stream);
    if (status != cuda::kNotReady) return Check(status, "the kernel", FailureKind::kKernel);
    constexpr int kQueriesWithoutSleep = 200;
    if (asked > kQueriesWithoutSleep) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

JobResult<KernelResult> DeviceServer::Run(const KernelJob& job) {
  const cuda::Api& api = driver_->api();
  const auto used = TRY(Use(job.device));
  OpenDevice& device = *used;
  const auto compiled = TRY(Compile(device, job.ptx));
  const std::uint64_t out_bytes = job.out_words * job.launches.size() * sizeof(std::uint64_t);
  TRY(Grow(device.out, out_bytes, /*clear=*/true));
  TRY(Grow(device.memory, job.memory_bytes, /*clear=*/false));
  const std::uint64_t upload_bytes = job.upload.size() * sizeof(std::uint32_t);
  TRY(Grow(device.upload, upload_bytes, /*clear=*/false));
  if (upload_bytes > 0) {
    TRY(Check(api.MemcpyHtoD(device.upload.pointer, job.upload.data(), upload_bytes),
              "cuMemcpyHtoD"));
  }
  cuda::Pointer out = device.out.pointer;
  for (const Launch& launch : job.launches) {
    TRY(Start(device, *compiled, launch, out, device.memory.pointer));
    out += job.out_words * sizeof(std::uint64_t);
  }
  TRY(Wait(device));

  KernelResult result;
  result.cubin = compiled->cubin;
  result.out.resize(job.out_words * job.launches.size());
  if (out_bytes > 0) {
    TRY(Check(api.MemcpyDtoH(result.out.data(), device.out.pointer, out_bytes), "cuMemcpyDtoH"));
  }
  return result;
}

JobResult<CompileResult> DeviceServer::Run(const CompileJob& job) {
  const auto used = TRY(Use(job.device));
  OpenDevice& device = *used;
  constexpr std::size_t kMostThreads = 8;
  const std::size_t threads =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
  std::vector<JobResult<std::string>> cubins(job.texts.size());
  std::atomic<std::size_t> next = 0;
  const auto compile = [&] {
    // Every thread has a current context of its own.
    if (driver_->api().CtxSetCurrent(device.context) != cuda::kSuccess) return;
    for (std::size_t at = next++; at < job.texts.size(); at = next++)
      cubins[at] = CompileToCubin(job.texts[at]);
  };
  RunOnThreads(std::min(threads, job.texts.size()), compile);
  CompileResult result;
  for (std::size_t i = 0; i < cubins.size(); ++i) {
    if (!cubins[i] || cubins[i]->empty()) continue;
    device.cubins[job.texts[i]] = std::move(*cubins[i]);
    ++result.compiled;
  }
  return result;
}

JobResult<HostTripResult> DeviceServer::Run(const HostTripJob& job) {
  const cuda::Api& api = driver_->api();
  const auto used = TRY(Use(job.device));
  OpenDevice& device = *used;
  const auto compiled = TRY(Compile(device, job.ptx));
  TRY(Grow(device.out, 256, /*clear=*/true));
  TRY(Grow(device.upload, 256, /*clear=*/false));
  const PinnedForAWhile pinned_for_a_while;
  if (auto pinned = os::Pin(job.cpu); !pinned)
    return std::unexpected(JobFailure{FailureKind::kRefused, pinned.error().message, ""});
  // Two flags, each on a line of its own: the CPU's and the GPU's.
  constexpr std::size_t kBytes = 4096;
  constexpr std::size_t kAnswerAt = 1024;
  void* host = nullptr;
  TRY(Check(api.MemHostAlloc(&host, kBytes, cuda::kHostPortable | cuda::kHostMapped),
            "cuMemHostAlloc"));
  std::memset(host, 0, kBytes);
  cuda::Pointer mapped = 0;
  TRY(Check(api.MemHostGetDevicePointer(&mapped, host, 0), "cuMemHostGetDevicePointer"));
  const std::atomic_ref<std::uint64_t> call(*static_cast<std::uint64_t*>(host));
  const std::atomic_ref<std::uint64_t> answer(
      *reinterpret_cast<std::uint64_t*>(static_cast<char*>(host) + kAnswerAt));
  const auto all = static_cast<std::uint64_t>(job.batches) * static_cast<unsigned>(job.trips);
  Launch launch;
  launch.entry = "answer";
  launch.threads = 1;
  launch.a = all;
  launch.b = kAnswerAt;
  TRY(Start(device, *compiled, launch, device.out.pointer, mapped));

  HostTripResult result;
  std::uint64_t sequence = 0;
  const std::int64_t deadline = os::MonotonicNanoseconds() + job.limit_ms * 1'000'000;
  for (int batch = 0; batch < job.batches; ++batch) {
    const std::int64_t start = os::MonotonicNanoseconds();
    for (int trip = 0; trip < job.trips; ++trip) {
      call.store(++sequence, std::memory_order_release);
      for (std::uint64_t spins = 0; answer.load(std::memory_order_acquire) != sequence; ++spins) {
        // No GPU takes so long; a simulated one may need this very CPU.
        if (spins % 4096 != 4095) continue;
        std::this_thread::yield();
        if (os::MonotonicNanoseconds() < deadline) continue;
        return std::unexpected(JobFailure{FailureKind::kTimeout,
                                          "the GPU does not answer through the host's memory", ""});
      }
    }
    result.nanoseconds.push_back(static_cast<double>(os::MonotonicNanoseconds() - start) /
                                 job.trips);
  }
  TRY(Wait(device));
  TRY(Check(api.MemFreeHost(host), "cuMemFreeHost"));
  return result;
}

JobResult<PeerTripResult> DeviceServer::Run(const PeerTripJob& job) {
  const cuda::Api& api = driver_->api();
  const auto first = TRY(Use(job.first));
  const auto ping = TRY(Compile(*first, job.first_ptx));
  TRY(Grow(first->out, job.out_words * sizeof(std::uint64_t), /*clear=*/true));
  TRY(Grow(first->memory, 4096, /*clear=*/true));
  TRY(Grow(first->upload, 256, /*clear=*/false));
  const auto second = TRY(Use(job.second));
  const auto pong = TRY(Compile(*second, job.second_ptx));
  TRY(Grow(second->out, 256, /*clear=*/true));
  TRY(Grow(second->upload, 256, /*clear=*/false));
  const cuda::Status enabled = api.CtxEnablePeerAccess(first->context, 0);
  if (enabled != cuda::kPeerAccessAlreadyEnabled) TRY(Check(enabled, "cuCtxEnablePeerAccess"));
  const cuda::Pointer memory = first->memory.pointer;
  Launch launch;
  launch.threads = 1;
  launch.a = job.a;
  launch.b = job.b;
  launch.entry = "pong";
  TRY(Start(*second, *pong, launch, second->out.pointer, memory));
  TRY(Use(job.first));
  launch.entry = "ping";
  TRY(Start(*first, *ping, launch, first->out.pointer, memory));
  TRY(Wait(*first));
  PeerTripResult result;
  result.out.resize(job.out_words);
  TRY(Check(
      api.MemcpyDtoH(result.out.data(), first->out.pointer, job.out_words * sizeof(std::uint64_t)),
      "cuMemcpyDtoH"));
  TRY(Use(job.second));
  TRY(Wait(*second));
  return result;
}

}  // namespace cyclescope::gpu
