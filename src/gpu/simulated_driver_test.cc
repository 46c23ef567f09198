// The whole way through a driver: the made one, opened by a helper process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gpu/experiment.h"
#include "gpu/helper_executor.h"
#include "gpu/measure_forms.h"
#include "gpu/testing/simulated_gpu.h"

namespace cyclescope::gpu {
namespace {

using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

bool Always() { return true; }

class SimulatedDriverTest : public ::testing::Test {
 protected:
  SimulatedDriverTest()
      : log_(::testing::TempDir() + "made_gpu_" + std::to_string(getpid()) + ".log") {
    Forget();
    setenv("CYCLESCOPE_SIMULATED_GPU_LOG", log_.c_str(), 1);
    Wish("");
  }
  ~SimulatedDriverTest() override {
    EXPECT_FALSE(std::filesystem::exists(log_)) << Complaints();
    Forget();
    unsetenv("CYCLESCOPE_SIMULATED_GPU");
    unsetenv("CYCLESCOPE_SIMULATED_GPU_LOG");
  }

  // The helper reads it when it starts.
  static void Wish(const std::string& wishes) {
    setenv("CYCLESCOPE_SIMULATED_GPU", wishes.c_str(), 1);
  }

  static HelperExecutor Open(std::function<bool()> goes_on = Always) {
    return HelperExecutor(CYCLESCOPE_SIMULATED_GPU_DRIVER, std::move(goes_on));
  }

  static DeviceFacts Device() {
    HelperExecutor executor = Open();
    const auto devices = executor.Devices();
    EXPECT_TRUE(devices.has_value()) << devices.error().message;
    return devices ? devices->front() : DeviceFacts{};
  }

  static std::vector<GpuInstruction> Measure(Executor& executor, const DeviceFacts& device,
                                             const std::vector<std::string>& texts) {
    std::vector<FormRequest> forms;
    for (const std::string& text : texts) forms.push_back({.group = "", .text = text});
    auto results =
        MeasureForms(executor, device, forms, {}, [](std::size_t, std::size_t) { return true; });
    EXPECT_TRUE(results.has_value()) << results.error().message;
    return results ? std::move(results->rows) : std::vector<GpuInstruction>{};
  }

  std::string Complaints() const {
    std::ifstream file(log_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void Forget() {
    std::filesystem::remove(log_);
    std::filesystem::remove(log_ + ".lost");
  }

  std::string log_;
};

TEST_F(SimulatedDriverTest, NoDriver) {
  HelperExecutor executor("/nonexistent/driver.so", Always);
  const auto devices = executor.Devices();
  ASSERT_FALSE(devices.has_value());
  EXPECT_EQ(devices.error().kind, FailureKind::kNoLibrary);
  EXPECT_THAT(devices.error().message, HasSubstr("there is no NVIDIA driver"));
}

TEST_F(SimulatedDriverTest, NoDevice) {
  Wish("devices=0");
  HelperExecutor executor = Open();
  const auto devices = executor.Devices();
  ASSERT_FALSE(devices.has_value());
  EXPECT_EQ(devices.error().kind, FailureKind::kNoDevice);
}

TEST_F(SimulatedDriverTest, TwoDevices) {
  Wish("devices=2");
  HelperExecutor executor = Open();
  const auto devices = executor.Devices();
  ASSERT_TRUE(devices.has_value());
  ASSERT_EQ(devices->size(), 2);
  EXPECT_EQ((*devices)[1].name, "Made GPU 1");
  EXPECT_EQ((*devices)[0].peers, std::vector<int>{1});
}

TEST_F(SimulatedDriverTest, Facts) {
  const DeviceFacts device = Device();
  EXPECT_EQ(device.multiprocessors, testing::SimulatedGpu::kMultiprocessors);
  EXPECT_EQ(device.major, 9);
  EXPECT_EQ(device.driver_version, 12040);
  EXPECT_EQ(device.l2_bytes, static_cast<std::int64_t>(testing::SimulatedGpu::kL2Bytes));
}

TEST_F(SimulatedDriverTest, APartThatIsRefusedIsToldAndTheOthersStay) {
  constexpr int kNoSuchCpu = 60'000;
  Wish("devices=1");
  HelperExecutor executor = Open();
  const auto devices = executor.Devices();
  ASSERT_TRUE(devices.has_value());
  GpuPlan plan;
  plan.device = devices->front();
  plan.texts = {"popc.b32 %r0, %r1"};
  plan.parts = {.instructions = true, .memory = false, .matrix = false, .trips = true};
  plan.cpus = {kNoSuchCpu};
  std::vector<std::string> failed;
  const auto row = MeasureGpu(
      executor, plan, Always, [](std::string_view, std::size_t, std::size_t) { return true; },
      [&](std::string_view part, const JobFailure& /*why*/) { failed.emplace_back(part); });
  ASSERT_TRUE(row.has_value()) << row.error().message;
  EXPECT_EQ(failed, std::vector<std::string>{"trips"});
  EXPECT_TRUE(row->partial);
  EXPECT_EQ(row->instructions.size(), 1);
}

TEST_F(SimulatedDriverTest, Everything) {
  Wish("devices=2");
  HelperExecutor executor = Open();
  const auto devices = executor.Devices();
  ASSERT_TRUE(devices.has_value());
  GpuPlan plan;
  plan.device = devices->front();
  plan.others = {devices->back()};
  plan.texts = {"popc.b32 %r0, %r1", "st.shared.u32 [%r0], %r1"};
  plan.cpus = {sched_getcpu()};
  plan.quick = true;
  plan.times_as_long = 100;
  std::vector<std::string> parts;
  const auto row = MeasureGpu(
      executor, plan, Always,
      [&](std::string_view part, std::size_t, std::size_t) {
        if (parts.empty() || parts.back() != part) parts.emplace_back(part);
        return true;
      },
      [](std::string_view part, const JobFailure& why) { ADD_FAILURE() << part << why.message; });
  ASSERT_TRUE(row.has_value()) << row.error().message;
  EXPECT_FALSE(row->partial);
  EXPECT_EQ(parts, (std::vector<std::string>{"GPU instructions", "GPU memory", "GPU places",
                                             "GPU and CPUs"}));
  EXPECT_NEAR(row->ghz->value, testing::SimulatedGpu::kGhz, 1e-6);
  ASSERT_EQ(row->instructions.size(), 2);
  EXPECT_NEAR(row->instructions[0].latency.at(0).cycles.value, 17, 1e-6);
  EXPECT_NEAR(row->instructions[1].repeat->value, 4, 1e-6);
  ASSERT_EQ(row->levels.size(), 3);
  EXPECT_NEAR(row->levels[0].cycles.value, testing::SimulatedGpu::kL1Cycles, 1);
  EXPECT_NEAR(row->levels[1].cycles.value, testing::SimulatedGpu::kL2Cycles, 10);
  EXPECT_NEAR(row->levels[1].capacity->value / testing::SimulatedGpu::kL2Bytes, 1, 0.15);
  EXPECT_NEAR(row->levels[0].capacity->value / testing::SimulatedGpu::kL1Bytes, 1, 0.15);
  ASSERT_TRUE(row->l2 && row->l2->far);
  EXPECT_NEAR(row->l2->near.value, 200, 1);
  EXPECT_NEAR(row->l2->far->value, 300, 1);
  ASSERT_TRUE(row->matrix.has_value());
  EXPECT_NEAR(row->matrix->cycles.At(0, 1), 200, 1);
  EXPECT_NEAR(row->matrix->cycles.At(0, 7), 300, 1);
  EXPECT_FALSE(row->matrix->cycles.Has(3, 3));
  EXPECT_EQ(row->matrix->groups.size(), 2);
  ASSERT_EQ(row->matrix->gpcs.size(), 2);
  EXPECT_EQ(row->matrix->gpcs[1].sms, (std::vector<int>{4, 5, 6, 7}));
  ASSERT_EQ(row->cpus.size(), 1);
  EXPECT_GT(row->cpus[0].nanoseconds.value, 0);
  ASSERT_EQ(row->peers.size(), 1);
  EXPECT_NEAR(row->peers[0].nanoseconds.value, 3000 / testing::SimulatedGpu::kGhz, 1);
}

// Each function of the driver in turn says no: the caller gets the error, and nothing hangs.
TEST_F(SimulatedDriverTest, EveryCallMayFail) {
  for (const char* call :
       {"cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute",
        "cuDeviceTotalMem_v2", "cuMemGetInfo_v2", "cuDriverGetVersion", "cuDevicePrimaryCtxRetain",
        "cuCtxSetCurrent", "cuStreamCreate"}) {
    SCOPED_TRACE(call);
    Wish(fmt::format("fail={}:2", call));
    HelperExecutor executor = Open();
    const auto devices = executor.Devices();
    ASSERT_FALSE(devices.has_value());
    EXPECT_THAT(devices.error().message, HasSubstr("CUDA_ERROR_OUT_OF_MEMORY, out of memory"));
  }
  Wish("");
  const DeviceFacts device = Device();
  for (const char* call :
       {"cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkComplete", "cuLinkDestroy",
        "cuModuleLoadData", "cuModuleGetFunction", "cuMemAlloc_v2", "cuMemsetD8_v2",
        "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuLaunchKernel", "cuStreamQuery"}) {
    SCOPED_TRACE(call);
    Wish(fmt::format("fail={}:2", call));
    HelperExecutor executor = Open();
    const auto rows = Measure(executor, device, {"popc.b32 %r0, %r1"});
    ASSERT_EQ(rows.size(), 1);
    EXPECT_NE(rows[0].status, Status::kMeasured);
    EXPECT_THAT(rows[0].reason, HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"));
  }
}

TEST_F(SimulatedDriverTest, TextThatIsNoPtx) {
  HelperExecutor executor = Open();
  const auto rows = Measure(executor, Device(), {"foo.f32 %f0, %f1", "popc.b32 %r0, %r1"});
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].status, Status::kUnsupported);
  EXPECT_THAT(rows[0].reason, HasSubstr("Not a name of any known instruction: 'foo'"));
  EXPECT_EQ(rows[1].status, Status::kMeasured);
}

TEST_F(SimulatedDriverTest, AKernelThatFailsTakesNobodyAlong) {
  const DeviceFacts device = Device();
  Wish("trap=clz");
  HelperExecutor executor = Open();
  const auto rows =
      Measure(executor, device, {"clz.b32 %r0, %r1", "popc.b32 %r0, %r1", "brev.b32 %r0, %r1"});
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows[0].status, Status::kCrashed);
  EXPECT_THAT(rows[0].reason, HasSubstr("CUDA_ERROR_LAUNCH_FAILED"));
  EXPECT_EQ(rows[1].status, Status::kMeasured);
  EXPECT_EQ(rows[2].status, Status::kMeasured);
}

TEST_F(SimulatedDriverTest, AKernelThatNeverEndsIsEnded) {
  const DeviceFacts device = Device();
  Wish("hang=add");
  HelperExecutor executor = Open();
  KernelJob job;
  job.ptx =
      ".version 8.4\n.target sm_90a\n.visible .entry k(\n.maxntid 1\n{\n  .reg .b32 %r0;\n"
      "  add.u32 %r0, %r0, 1;\n  ret;\n}\n";
  job.launches.push_back({.entry = "k", .threads = 1});
  job.limit_ms = 100;
  // The first answer starts the driver, which has time of its own.
  ASSERT_TRUE(executor.Devices().has_value());
  const auto begin = Clock::now();
  const auto result = executor.Run(job);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, FailureKind::kTimeout);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(60));
  // The next job gets a new process.
  EXPECT_TRUE(executor.Devices().has_value());
}

TEST_F(SimulatedDriverTest, SomebodyDoesNotWantToWait) {
  Wish("hang=popc");
  bool goes_on = true;
  HelperExecutor executor = Open([&goes_on] { return goes_on; });
  const auto devices = executor.Devices();
  ASSERT_TRUE(devices.has_value());
  goes_on = false;
  const auto results = MeasureForms(executor, devices->front(), {{"", "popc.b32 %r0, %r1", 0}}, {},
                                    [](std::size_t, std::size_t) { return true; });
  ASSERT_TRUE(results.has_value());
  EXPECT_FALSE(results->is_whole);
}

TEST_F(SimulatedDriverTest, AGpuThatIsGoneEndsTheWork) {
  const DeviceFacts device = Device();
  Wish("lost=clz");
  HelperExecutor executor = Open();
  const auto results =
      MeasureForms(executor, device, {{"", "clz.b32 %r0, %r1", 0}, {"", "popc.b32 %r0, %r1", 0}},
                   {}, [](std::size_t, std::size_t) { return true; });
  ASSERT_FALSE(results.has_value());
  EXPECT_THAT(results.error().message, HasSubstr("CUDA_ERROR_UNKNOWN"));
}

}  // namespace
}  // namespace cyclescope::gpu
