#include "os/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwloc.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "os/cpus.h"
#include "os/linux/fake_root.h"
#include "os/terminal.h"

namespace cyclescope::os {
namespace {

// As a program does at its start; hwloc looks once.
const bool kIsSilent = (PrepareProgram(), true);

using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

std::vector<CpuPlace> Recorded(const std::filesystem::path& file) {
  const auto places = ReadTopology(file);
  EXPECT_TRUE(places.has_value()) << places.error().ToString();
  EXPECT_TRUE(std::ranges::is_sorted(*places, {}, &CpuPlace::cpu));
  return *places;
}

std::vector<CpuPlace> RecordedOf(std::string_view machine) {
  return Recorded(RecordedMachine(machine) / "topology.xml");
}

std::size_t CountDistinct(const std::vector<CpuPlace>& places,
                          std::optional<int> CpuPlace::* part) {
  std::set<std::optional<int>> numbers;
  for (const CpuPlace& place : places) numbers.insert(place.*part);
  return numbers.size();
}

TEST(ReadTopology, PlacesAServerOfTwoSockets) {
  const auto places = RecordedOf("xeon-2-sockets");
  ASSERT_THAT(places, SizeIs(32));
  EXPECT_EQ(places[9], (CpuPlace{.cpu = 9,
                                 .core = 9,
                                 .l2 = 9,
                                 .cluster = std::nullopt,
                                 .l3 = 1,
                                 .die = std::nullopt,
                                 .package = 1,
                                 .numa = 1,
                                 .kind = ""}));
  EXPECT_EQ(places[3].core, places[19].core) << "threads of one core";
  EXPECT_NE(places[3].core, places[4].core);
  EXPECT_EQ(CountDistinct(places, &CpuPlace::core), 16u);
  EXPECT_EQ(CountDistinct(places, &CpuPlace::package), 2u);
}

TEST(ReadTopology, NamesTheKindsOfAHybridDesktop) {
  const auto places = RecordedOf("hybrid-desktop");
  ASSERT_THAT(places, SizeIs(20));
  for (const CpuPlace& place : places) {
    EXPECT_EQ(place.kind, place.cpu < 12 ? "performance" : "efficiency") << place.cpu;
  }
  EXPECT_EQ(places[0].core, places[1].core);
  EXPECT_NE(places[12].core, places[13].core);
  EXPECT_EQ(places[12].l2, places[15].l2) << "four efficiency cores share one cache";
  EXPECT_NE(places[15].l2, places[16].l2);
  EXPECT_EQ(CountDistinct(places, &CpuPlace::l2), 6u + 2u);
}

TEST(ReadTopology, PlacesAnArmServerWithClusters) {
  const auto places = RecordedOf("arm-server");
  ASSERT_THAT(places, SizeIs(64));
  EXPECT_EQ(CountDistinct(places, &CpuPlace::core), 64u);
  EXPECT_EQ(CountDistinct(places, &CpuPlace::cluster), 16u);
  EXPECT_EQ(places[4].cluster, 1);
  EXPECT_EQ(places[7].cluster, 1);
  EXPECT_EQ(places[31].l3, 0);
  EXPECT_EQ(places[32].l3, 1);
  EXPECT_EQ(places[32].numa, 1);
  EXPECT_THAT(places, Each(Field(&CpuPlace::package, 0)));
  EXPECT_THAT(places, Each(Field(&CpuPlace::kind, "")));
}

TEST(ReadTopology, KnowsNothingOfAVirtualMachineThatHidesIt) {
  const auto places = RecordedOf("hiding-vm");
  ASSERT_THAT(places, SizeIs(4));
  EXPECT_EQ(places[2], (CpuPlace{.cpu = 2,
                                 .core = std::nullopt,
                                 .l2 = std::nullopt,
                                 .cluster = std::nullopt,
                                 .l3 = std::nullopt,
                                 .die = std::nullopt,
                                 .package = std::nullopt,
                                 .numa = 0,
                                 .kind = ""}));
}

// Writes what hwloc makes of a synthetic description, after `change`, as an XML file.
void WriteSynthetic(const std::string& description, const std::filesystem::path& file,
                    const std::function<void(hwloc_topology_t)>& change = {}) {
  hwloc_topology_t topology = nullptr;
  ASSERT_EQ(hwloc_topology_init(&topology), 0);
  ASSERT_EQ(hwloc_topology_set_synthetic(topology, description.c_str()), 0);
  ASSERT_EQ(hwloc_topology_load(topology), 0);
  if (change) change(topology);
  ASSERT_EQ(hwloc_topology_export_xml(topology, file.c_str(), 0), 0);
  hwloc_topology_destroy(topology);
}

TEST(ReadTopology, Places768Cpus) {
  const FakeRoot root;
  const auto file = root.path() / "large.xml";
  WriteSynthetic("package:2 [numa] die:2 l3:12 core:8 pu:2", file);
  const auto places = Recorded(file);
  ASSERT_THAT(places, SizeIs(768));
  EXPECT_EQ(places.back(), (CpuPlace{.cpu = 767,
                                     .core = 383,
                                     .l2 = std::nullopt,
                                     .cluster = std::nullopt,
                                     .l3 = 47,
                                     .die = 3,
                                     .package = 1,
                                     .numa = 1,
                                     .kind = ""}));
  EXPECT_EQ(CountDistinct(places, &CpuPlace::core), 384u);
}

void RegisterKind(hwloc_topology_t topology, const char* cpus, int efficiency, const char* name,
                  const char* value) {
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  hwloc_bitmap_list_sscanf(set, cpus);
  hwloc_info_s info{const_cast<char*>(name), const_cast<char*>(value)};
  EXPECT_EQ(hwloc_cpukinds_register(topology, set, efficiency, 1, &info, 0), 0);
  hwloc_bitmap_free(set);
}

TEST(ReadTopology, NamesKindsByTheCapacityThatTheKernelGives) {
  const FakeRoot root;
  const auto file = root.path() / "phone.xml";
  WriteSynthetic("core:8 pu:1", file, [](hwloc_topology_t topology) {
    RegisterKind(topology, "0-3", 0, "LinuxCapacity", "250");
    RegisterKind(topology, "4-6", 1, "LinuxCapacity", "800");
    RegisterKind(topology, "7", 2, "LinuxCapacity", "1024");
  });
  const auto places = Recorded(file);
  ASSERT_THAT(places, SizeIs(8));
  EXPECT_EQ(places[3].kind, "efficiency");
  EXPECT_EQ(places[4].kind, "middle");
  EXPECT_EQ(places[7].kind, "performance");
}

TEST(ReadTopology, GivesNoNameToCoresThatOnlyClockHigher) {
  const FakeRoot root;
  const auto file = root.path() / "binned.xml";
  WriteSynthetic("core:4 pu:1", file, [](hwloc_topology_t topology) {
    RegisterKind(topology, "0-2", 0, "FrequencyMaxMHz", "4000");
    RegisterKind(topology, "3", 1, "FrequencyMaxMHz", "5000");
  });
  EXPECT_THAT(Recorded(file), Each(Field(&CpuPlace::kind, "")));
}

void ExpectUnreadable(const std::filesystem::path& file, std::string_view reason) {
  testing::internal::CaptureStderr();
  const auto places = ReadTopology(file);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "hwloc and its XML reader keep silent";
  ASSERT_FALSE(places.has_value()) << file;
  EXPECT_EQ(places.error().kind, ErrorKind::kBadInput);
  EXPECT_THAT(places.error().ToString(), HasSubstr(file.string()));
  EXPECT_THAT(places.error().ToString(), HasSubstr(reason));
  EXPECT_THAT(places.error().ToString(), Not(HasSubstr("\n")));
}

TEST(ReadTopology, SaysWhatIsWrongWithAFile) {
  const FakeRoot root;
  ExpectUnreadable(root.path() / "missing.xml", "No such file");
  ExpectUnreadable(root.path(), "it is not a file");
  ExpectUnreadable("/dev/zero", "it is not a file");

  root.Write("empty.xml", "");
  ExpectUnreadable(root.path() / "empty.xml", "not hwloc XML, or it is damaged");
  root.Write("text.xml", "no topology\n");
  ExpectUnreadable(root.path() / "text.xml", "not hwloc XML, or it is damaged");
  root.Write("other.xml", "<?xml version=\"1.0\"?>\n<html><body/></html>\n");
  ExpectUnreadable(root.path() / "other.xml", "not hwloc XML, or it is damaged");

  std::ifstream whole(RecordedMachine("hybrid-desktop") / "topology.xml");
  const std::string text{std::istreambuf_iterator<char>(whole), {}};
  root.Write("cut.xml", text.substr(0, text.size() / 2));
  ExpectUnreadable(root.path() / "cut.xml", "not hwloc XML, or it is damaged");

  const auto change_all = [&text](const std::string& from, const std::string& to) {
    return std::regex_replace(text, std::regex(from), to);
  };
  // hwloc itself complains about this one, unless it is kept from it.
  root.Write("no-memory.xml", change_all("<object type=\"NUMANode\"[^]*?</object>", ""));
  ExpectUnreadable(root.path() / "no-memory.xml", "not hwloc XML, or it is damaged");
  root.Write("no-cpus.xml", change_all("cpuset=\"0x000fffff\"", "cpuset=\"0x0\""));
  ExpectUnreadable(root.path() / "no-cpus.xml", "not hwloc XML, or it is damaged");
  root.Write("twice.xml", change_all("\"PU\" os_index=\"3\"", "\"PU\" os_index=\"2\""));
  ExpectUnreadable(root.path() / "twice.xml", "not hwloc XML, or it is damaged");
}

TEST(ReadCaches, AreTheOnesOnTheWayToMemory) {
  const auto server = ReadCaches(0, RecordedMachine("xeon-2-sockets") / "topology.xml");
  ASSERT_TRUE(server);
  ASSERT_THAT(*server, SizeIs(2));  // it was recorded without the first level
  EXPECT_EQ((*server)[0].level, 2);
  EXPECT_EQ((*server)[0].bytes, 256 << 10);
  EXPECT_EQ((*server)[1].level, 3);
  EXPECT_EQ((*server)[1].bytes, 20 << 20);
  EXPECT_LT((*server)[0].cpus, (*server)[1].cpus);
  const auto hiding = ReadCaches(0, RecordedMachine("hiding-vm") / "topology.xml");
  ASSERT_TRUE(hiding);
  EXPECT_THAT(*hiding, SizeIs(0));
}

TEST(ReadTopology, PlacesEveryCpuOfThisMachine) {
  testing::internal::CaptureStderr();
  const auto places = ReadTopology();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_TRUE(places.has_value()) << places.error().ToString();
  CpuList placed;
  for (const CpuPlace& place : *places) placed.push_back(place.cpu);
  EXPECT_TRUE(std::ranges::includes(placed, AllowedCpus().value()));
}

}  // namespace
}  // namespace cyclescope::os
