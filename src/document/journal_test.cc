#include "document/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "document/json_writer.h"
#include "document/testing/simulated_documents.h"

namespace cyclescope {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

Document SweepHeader() {
  Document document = testing::FullDocument();
  document.config.command = "sweep";
  document.config.options.clear();
  document.frequency.clear();
  return document;
}

InstructionRow RowOf(const std::string& opcode) {
  InstructionRow row = testing::FullDocument().instructions.front();
  row.opcode = opcode;
  return row;
}

std::string SimulatedJournal() {
  return JournalHeader(SweepHeader()) + JournalLine(RowOf("ADDXrr")) +
         JournalLine(RowOf("MADDXrrr"));
}

TEST(Journal, GivesBackItsRows) {
  const auto journal = ParseJournal(SimulatedJournal(), "a.journal");
  ASSERT_TRUE(journal) << journal.error().ToString();
  ASSERT_THAT(journal->document.instructions, SizeIs(2));
  EXPECT_EQ(journal->document.instructions[1].opcode, "MADDXrrr");
  EXPECT_EQ(journal->document.instructions[1].throughput->cycles.value,
            RowOf("").throughput->cycles.value);
  EXPECT_EQ(journal->document.host.cpu_model, SweepHeader().host.cpu_model);
  EXPECT_EQ(journal->size, SimulatedJournal().size());
}

TEST(Journal, KeepsTheLastPortMapAndTheLastRowOfAnOpcode) {
  Document header = SweepHeader();
  header.port_map.reset();
  Document with_map = header;
  with_map.port_map = PortMap{.dispatch = 6};
  InstructionRow without_ports = RowOf("ADDXrr");
  without_ports.ports.clear();
  without_ports.port_finding.reset();
  const std::string text = JournalHeader(header) + JournalLine(without_ports) +
                           JournalLine(with_map) + JournalLine(RowOf("ADDXrr"));
  const auto journal = ParseJournal(text, "a.journal");
  ASSERT_TRUE(journal) << journal.error().ToString();
  ASSERT_TRUE(journal->document.port_map);
  EXPECT_EQ(journal->document.port_map->dispatch, 6);
  ASSERT_THAT(journal->document.instructions, SizeIs(1));
  EXPECT_TRUE(journal->document.instructions.front().port_finding);
  EXPECT_EQ(journal->size, text.size());
}

TEST(Journal, KeepsThePartsOfAModel) {
  Document header = SweepHeader();
  header.config.command = "model";
  header.port_map.reset();
  header.anatomy.reset();
  header.memory.clear();
  Document with_core = header;
  with_core.anatomy = Anatomy{.cpu = 3};
  Document with_memory = header;
  with_memory.memory.push_back({.cpu = 5});
  const auto journal = ParseJournal(JournalHeader(header) + JournalLine(with_core) +
                                        JournalLine(with_memory) + JournalLine(RowOf("ADDXrr")),
                                    "a.journal");
  ASSERT_TRUE(journal) << journal.error().ToString();
  ASSERT_TRUE(journal->document.anatomy);
  EXPECT_EQ(journal->document.anatomy->cpu, 3);
  ASSERT_THAT(journal->document.memory, SizeIs(1));
  EXPECT_EQ(journal->document.memory.front().cpu, 5);
  EXPECT_THAT(journal->document.instructions, SizeIs(1));
}

TEST(Journal, SaysWhetherItIsComplete) {
  const std::string head = JournalHeader(SweepHeader());
  const auto skim = [](const std::string& text) {
    const auto read = SkimJournal(text, "a.journal");
    EXPECT_TRUE(read) << read.error().ToString();
    return *read;
  };
  EXPECT_FALSE(skim(head).has_rows);
  EXPECT_FALSE(skim(head + "{\"text\":\"torn").has_rows);
  EXPECT_TRUE(skim(SimulatedJournal()).has_rows);
  EXPECT_FALSE(skim(SimulatedJournal()).is_complete);
  const std::string complete = SimulatedJournal() + JournalEnd();
  EXPECT_TRUE(skim(complete).is_complete);
  EXPECT_EQ(skim(complete).head.config.command, "sweep");
  // A wider selection goes on with it.
  const std::string continued = complete + JournalLine(RowOf("SUBXrr"));
  EXPECT_FALSE(skim(continued).is_complete);
  const auto journal = ParseJournal(continued, "a.journal");
  ASSERT_TRUE(journal) << journal.error().ToString();
  EXPECT_THAT(journal->document.instructions, SizeIs(3));
  EXPECT_EQ(journal->size, continued.size());
  EXPECT_FALSE(SkimJournal("no journal", "a.journal"));
}

// A kill can come at any byte of a line: whatever is left, all whole rows are read, and the size
// says where to go on.
TEST(JournalFuzz, TornAnywhereKeepsItsWholeRows) {
  // A small header: it is parsed a thousand times.
  Document document;
  document.host = SweepHeader().host;
  document.config.command = "sweep";
  const std::string header = JournalHeader(document);
  const std::string first = JournalLine(RowOf("ADDXrr"));
  const std::string whole = header + first + JournalLine(RowOf("MADDXrrr"));
  for (std::size_t length = header.size(); length < whole.size(); ++length) {
    const auto journal = ParseJournal(whole.substr(0, length), "a.journal");
    ASSERT_TRUE(journal) << length;
    const bool has_first = length >= header.size() + first.size();
    ASSERT_EQ(journal->document.instructions.size(), has_first ? 1 : 0) << length;
    ASSERT_EQ(journal->size, header.size() + (has_first ? first.size() : 0)) << length;
  }
}

TEST(Journal, WithoutAWholeHeaderIsRefused) {
  const auto journal = ParseJournal("{\"schema\":\"cyclescope/1\"", "a.journal");
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().kind, ErrorKind::kBadInput);
}

TEST(Journal, OtherDocumentsAreRefused) {
  Document other = SweepHeader();
  other.config.command = "instruction";
  const auto journal = ParseJournal(JournalHeader(other), "a.journal");
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message, HasSubstr("it is not the journal of"));
}

// Only the last line can be torn: anything else means that the file was damaged.
TEST(Journal, AResultIsSaidToBeOne) {
  const auto journal = ParseJournal(ToJson(SweepHeader()), "result.json");
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message, HasSubstr("is a result, and no journal"));
}

TEST(Journal, DamageInTheMiddleNamesItsLine) {
  std::string text = SimulatedJournal();
  text[text.find("ADDXrr") - 3] = '}';
  const auto journal = ParseJournal(text, "a.journal");
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message, HasSubstr("line 2"));
}

TEST(Journal, AnOpcodeStandsInTheDocumentOnce) {
  InstructionRow again = RowOf("ADDXrr");
  again.status = Status::kDisturbed;
  const auto journal = ParseJournal(SimulatedJournal() + JournalLine(again), "a.journal");
  ASSERT_TRUE(journal);
  ASSERT_THAT(journal->document.instructions, SizeIs(2));
  EXPECT_EQ(journal->document.instructions[0].status, Status::kDisturbed);
}

TEST(Journal, ANarrowerDocumentHasNotAllOfItsRows) {
  const auto journal = ParseJournal(SimulatedJournal(), "a.journal");
  ASSERT_TRUE(journal);
  Document document = SweepHeader();
  document.instructions = {RowOf("SUBXrr"), RowOf("MADDXrrr"), RowOf("ADDXrr")};
  EXPECT_TRUE(HasAllRows(document, journal->document));
  document.instructions.pop_back();
  EXPECT_FALSE(HasAllRows(document, journal->document));
  Document snippets;
  snippets.blocks.emplace_back().text = "nop";
  EXPECT_FALSE(HasAllRows({}, snippets));
  EXPECT_TRUE(HasAllRows(snippets, snippets));
}

TEST(CheckContinues, TheSameMachineAndBuild) {
  Document now = SweepHeader();
  now.host.load_1min += 3;
  now.config.started = "2031-01-01T00:00:00Z";
  now.config.options = {{"resume", "a.journal"}, {"filter", "add"}};
  EXPECT_TRUE(CheckContinues(now, SweepHeader(), "a.journal"));
}

TEST(CheckContinues, SaysWhatDiffers) {
  const auto difference = [](auto change) {
    Document now = SweepHeader();
    change(now);
    const auto checked = CheckContinues(now, SweepHeader(), "a.journal");
    return checked ? "" : checked.error().message;
  };
  EXPECT_THAT(difference([](Document& now) { now.host.name = "elsewhere"; }),
              HasSubstr("the host was"));
  EXPECT_THAT(difference([](Document& now) { now.host.cpu_model = "Z80"; }),
              HasSubstr("'Z80' now"));
  EXPECT_THAT(difference([](Document& now) { now.host.features = {"sve"}; }),
              HasSubstr("features"));
  EXPECT_THAT(difference([](Document& now) { now.tool.commit = "f00"; }),
              HasSubstr("the build was"));
  EXPECT_THAT(difference([](Document& now) { now.config.options = {{"only", "latency"}}; }),
              HasSubstr("--only was nothing"));
}

TEST(Journal, IsOfASweepOrOfASurvey) {
  Document header = SweepHeader();
  header.config.command = "survey";
  EXPECT_TRUE(ParseJournal(JournalHeader(header), "a.journal"));
  header.config.command = "cores";
  EXPECT_FALSE(ParseJournal(JournalHeader(header), "a.journal"));
}

}  // namespace
}  // namespace cyclescope
