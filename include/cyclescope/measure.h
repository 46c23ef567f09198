// cyclescope as a library: what the program's commands do, as functions that return values.
//
//   auto result = cyclescope::MeasureInstructions({.texts = {"mul x0, x1, x2"}});
//   if (!result) return Complain(result.error().ToString());
//   for (const cyclescope::Latency& pair : result->instructions.front().latency)
//     Use(pair.from, pair.to, pair.cycles.value);
//
// Each returns a Document: the rows asked for, the machine and the clock they come from, and
// warnings. A row that could not be measured has a status and a reason; an Error means that nothing
// could be, and is of kind kBadInput when the request cannot be met on any try. We print nothing,
// end no process, handle no signal, set no variable of the environment and keep nothing between
// calls. (hwloc, which we use, complains on standard error about machines that it finds odd; a
// program that does not want this sets HWLOC_HIDE_ERRORS=2 at its start.) While a call measures,
// the calling thread stays on the CPU that it measures; it gets its CPUs back before the call
// returns. Calls that run at once disturb each other's results.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/choices.h"
#include "cyclescope/progress.h"
#include "cyclescope/result/document.h"

namespace cyclescope {

// Limits of requests. A larger value is an Error, and so is one that is not a number.
inline constexpr double kLongestS = 30 * 24 * 3600.0;  // of a budget or patience
inline constexpr int kMostCopies = 100'000;            // of a block in a row
inline constexpr int kMostJobs = 4096;

// "cyclescope 0.3.0 (commit, architecture, compiler, LLVM)"
std::string VersionText();
// The architecture that this library measures: "x86_64" or "aarch64".
std::string_view ArchitectureName();

// The start of every document: the program, the machine, what started the run, and when. Measures
// nothing.
Result<Document> DescribeRun(std::string_view command);

// ---- The machine

struct DoctorRequest {
  std::string topology;    // an hwloc XML file in place of this machine's topology
  std::string gpu_driver;  // another library in place of NVIDIA's driver: for tests
};

// Fills `doctor`: what on this machine disturbs measuring. Takes about a second.
Result<Document> CheckMachine(const DoctorRequest& request = {});

struct FrequencyRequest {
  std::vector<int> cpus;  // empty: all that may be used
  CycleChoice cycles = CycleChoice::kAuto;
  std::optional<double> patience_s;  // as in CodeRequest
  std::string topology;              // as in DoctorRequest
};

// Fills `frequency`, a row for each CPU.
Result<Document> MeasureFrequency(const FrequencyRequest& request = {},
                                  const OnProgress& on_progress = {});

// Called after each round of a watch with the result so far; false ends the watch.
using OnRound = std::function<bool(const Document& so_far)>;

// Repeats it until `on_round` ends it. The result is the last complete round, or a partial first.
Result<Document> WatchFrequency(const FrequencyRequest& request, const OnRound& on_round,
                                const OnProgress& on_progress = {});

// ---- Code

// Reads the texts of requests. Those that share one have each text parsed once: by CheckTexts, for
// example, and then not again by MeasureInstructions.
class TextReader;
std::shared_ptr<TextReader> MakeTextReader();

// Where and how code is measured.
struct CodeRequest {
  std::optional<int> cpu;  // unset: any of one kind that may be used, where the core is quiet
  CycleChoice cycles = CycleChoice::kAuto;
  bool att_syntax = false;  // of x86-64 assembly; Intel's when false
  // How long to wait for a moment in which no other thread uses the core; unset: the function's
  // own default.
  std::optional<double> patience_s;
  std::shared_ptr<TextReader> reader = nullptr;  // each call reads for itself when unset
};

struct InstructionRequest {
  std::vector<std::string> texts;  // assembly, one instruction each
  CodeRequest code;
};

// Fills `instructions`, a row for each text.
Result<Document> MeasureInstructions(const InstructionRequest& request,
                                     const OnProgress& on_progress = {});

// Repeats it until `on_round` ends it. The result is made of all rounds, or of a partial first.
Result<Document> WatchInstructions(const InstructionRequest& request, const OnRound& on_round,
                                   const OnProgress& on_progress = {});

// The plan of MeasureInstructions: rows with code and without values. Measures nothing.
Result<Document> PlanInstructions(const InstructionRequest& request);

// Why a text cannot be measured, and the place of the error in it.
struct TextProblem {
  std::size_t index = 0;  // of the text in the request
  std::size_t line = 0;   // in that text, from 1; 0: the text as a whole
  std::size_t column = 0;
  std::string message;  // one line, without the place
  std::string hint;
  std::string excerpt;  // the line and a caret under the place; may be empty

  // "line 1, column 5: invalid operand", with the hint.
  Error ToError() const;
};

// The errors in the texts of a request; empty where it can be measured. An instruction that this
// CPU does not have is no error: its row says so.
Result<std::vector<TextProblem>> CheckTexts(const InstructionRequest& request);

// The values with which an instruction whose time depends on them is measured.
struct ValueClass {
  std::string name;
  std::vector<std::pair<std::string, std::uint64_t>> operands;  // what each source holds
};

struct ValueClasses {
  std::string text;
  std::string reason;               // why there are none to be listed
  std::vector<ValueClass> classes;  // empty where values make no difference
};

// For each text, the classes of values that are measured apart. Measures nothing.
Result<std::vector<ValueClasses>> ListValueClasses(const InstructionRequest& request);

struct PortsRequest {
  std::vector<std::string> texts;  // assembly, one instruction each; the map alone when empty
  bool rows_of_map = false;        // the forms that the map is made of have rows, too
  bool explain = false;            // rows with the mixes behind them
  std::string
      model;  // LLVM's name of the CPU whose ports are put beside ours; empty: this machine's
  // The map of an earlier result of this machine, which is then not measured again.
  std::optional<PortMap> known_map;
  CodeRequest code;
};

// Fills `port_map`, and `instructions` with a row and its ports for each text.
Result<Document> MeasurePorts(const PortsRequest& request, const OnProgress& on_progress = {});

// Formats in which other programs read ports.
enum class PortFormat {
  kCsv,       // a line for each form: "1*p0156+1*p23"
  kTableGen,  // LLVM's scheduling tables
  kOsaca,     // OSACA's machine file, in YAML
  kPmevo,     // PMEvo's mapping, in JSON
};

// A result of MeasurePorts, or of MeasureSweep with ports.
Result<std::string> ToPortFormat(const Document& document, PortFormat format);

// The file that each row of a sweep or of many snippets is written to at once, so that a run that
// was ended or killed can be continued.
struct JournalRequest {
  std::string file;    // a new one; empty: none is kept
  std::string resume;  // an earlier one, whose rows are not measured again, and which goes on
};

// The targets of an indirect jump in a loop, through a table as compilers make of a `switch`.
struct BlockJumpTable {
  std::size_t jump = 0;              // the number of the instruction in the text, from 0
  std::vector<std::string> targets;  // labels of the text; empty where an entry leads out of it
};

// The place of a snippet's line in the compiler's file that it was taken from.
struct BlockTextPlace {
  int line = 0;    // from 1; 0: the line was added
  int column = 0;  // from 1
};

// A snippet: assembly text, or machine code.
struct BlockSource {
  std::string name;                        // may be empty
  std::string side;                        // of two that are compared: which; else empty
  std::string function;                    // of a loop: whose it is; may be empty
  int line = 0;                            // of the compiler's file; 0: not known
  std::optional<BlockSourcePlace> source;  // what it says of the program's source
  std::string text;
  std::vector<BlockTextPlace> places = {};  // of its lines; empty where it was taken from no file
  std::vector<std::uint8_t> bytes;          // instead of text
  bool part = false;                        // of a compiler's file: labels may lead out of it
  std::vector<BlockJumpTable> tables = {};
  // Functions that are called on paths through a loop that the text leaves out.
  std::vector<std::string> avoided_calls = {};
  // Lines at which loops inside of it begin that the text goes around, doing their work itself.
  std::vector<int> avoided_loops = {};
  int loop_around = 0;       // where such a loop around it begins; 0: there is none
  bool inside_loop = false;  // another loop is around it
  // The offsets in a line of 64 bytes at which a loop's code may begin, by the file's alignments;
  // empty: not known.
  std::vector<int> code_offsets = {};
};

// The parts of a compiler's assembly file that are worth measuring: what marks enclose
// (LLVM-MCA-BEGIN, OSACA-BEGIN, IACA's bytes), or else the innermost loops, with those around them
// that do the same work without them.
struct Listing {
  std::vector<BlockSource> sources;
  bool att_syntax = false;  // x86-64: the file is in AT&T syntax
};

// Unset where the text has neither directives nor marks: it is a snippet as it stands. It is read
// as assembly of this machine's architecture where none is named ("x86_64", "aarch64").
std::optional<Listing> ReadListing(std::string_view text, std::string_view architecture = {});

// Sets `code_offsets` of the loops that ReadListing found in the text: MeasureBlock then measures a
// loop at each of them.
void FindCodeOffsets(std::string_view text, bool att_syntax, std::vector<BlockSource>& sources,
                     std::string_view architecture = {});

// What memory can hold when a snippet begins: "random", "constant", "pointers", ...
std::vector<std::string_view> MemoryWords();

struct BlockRequest {
  std::string text;                  // assembly
  std::vector<std::uint8_t> bytes;   // machine code instead of text
  std::vector<BlockSource> sources;  // many snippets instead of one, a row for each
  std::string init;                  // assembly that runs once before
  BlockLoop loop = BlockLoop::kUnrolled;
  std::optional<int> unroll;  // copies in a row; as many as make a good sample when unset
  std::optional<int> trips;   // of a loop with a branch of its own; many when unset

  // Initial values of registers: "rcx=64,xmm0=1.0"; the others get values with which it runs.
  std::string set;
  // Initial contents of memory: one of MemoryWords(), or `memory_contents` over and over. Where
  // both are empty: random values of the type that the code reads, and a loop is measured with
  // others, too.
  std::string memory;
  std::vector<std::uint8_t> memory_contents;
  // Bytes that a loop walks over in its longer run; half of the first-level cache when unset.
  std::optional<std::int64_t> footprint;
  // No memory but the scratch memory, whose address is in every general register.
  bool strict = false;

  bool predict = true;    // also by llvm-mca
  bool timeline = false;  // with its timeline
  // Also find what binds it: each of its instructions is measured for that.
  bool explain = true;
  // Also predict it by the ports of its instructions. They are measured unless `known_ports` is
  // a result of MeasurePorts or of MeasureSweep with ports, of the same kind of CPU.
  bool ports = false;
  std::optional<Document> known_ports;
  // A result with instructions and ports of the same kind of CPU: also predict it by its model.
  std::optional<Document> machine;
  int machine_iterations = 0;  // of that model's timeline; 0: none is recorded

  JournalRequest journal;  // of many
  CodeRequest code;
};

// Fills `blocks`: one row, or one for each of the sources. A source that cannot be measured has a
// row with the reason; where it is the only text of a request, it is an error.
Result<Document> MeasureBlock(const BlockRequest& request, const OnProgress& on_progress = {});

// The errors in the snippet (index 0) and in `init`, which runs before it (index 1).
Result<std::vector<TextProblem>> CheckTexts(const BlockRequest& request);

// The errors in the sources of a request, each with its number in `sources` as index. Lines
// and columns are those of the compiler's file where a source was taken from one.
Result<std::vector<TextProblem>> CheckSources(const BlockRequest& request);

struct PredictRequest {
  BlockRequest block;  // the snippets; options about measuring are ignored
  Document machine;    // a result with instructions and ports: the core that is predicted
  int iterations = 0;  // of the timeline; 0: none is recorded
};

// Fills `blocks`, each with `predicted`, for the machine's architecture, whatever this one's is.
// Nothing is measured.
Result<Document> PredictBlocks(const PredictRequest& request);

// A machine's model, read once for many questions: that of thousands of forms takes a moment.
//
//   auto model = MachineModel::Read(*ReadResult("model.json"));
//   auto document = model->Predict({.text = "imul rax, rcx"});
class MachineModel {
 public:
  // `machine` as in PredictRequest.
  static Result<MachineModel> Read(const Document& machine);
  MachineModel(MachineModel&&) noexcept;
  MachineModel& operator=(MachineModel&&) noexcept;
  ~MachineModel();

  // Does what PredictBlocks does.
  Result<Document> Predict(const BlockRequest& request, int iterations = 0);

  // As the function CheckSources, for code of the model's architecture.
  Result<std::vector<TextProblem>> CheckSources(const BlockRequest& request);

  // For each text the row of its form, which may have other registers; unset where the model has
  // none.
  Result<std::vector<std::optional<InstructionRow>>> Find(const InstructionRequest& request);

 private:
  struct Parts;
  explicit MachineModel(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

// ---- Every instruction

// An instruction that this machine has, as `instruction` takes it.
struct KnownForm {
  std::string text;
  std::string mnemonic;
  std::string opcode;  // LLVM's name
};

// Every form that a sweep would measure. Takes up to a second, on all CPUs; empty where
// `on_progress` ends it. Nothing is measured.
Result<std::vector<KnownForm>> ListForms(const OnProgress& on_progress = {});

struct ModelRequest;
struct SweepRequest;
struct SurveyRequest;

// A name for a new journal in the user's state folder ($XDG_STATE_HOME/cyclescope, or
// ~/.local/state/cyclescope), which is made where it is missing.
Result<std::string> NewJournalFile(std::string_view command);
// True for a journal in that folder: the program named it, not the user.
bool IsOwnJournal(std::string_view file);
// The newest one in that folder that could be resumed by the request: begun with the same request
// on this machine, and not complete. `file` and `resume` do not matter.
std::optional<std::string> FindOpenJournal(const SweepRequest& request);
std::optional<std::string> FindOpenJournal(const SurveyRequest& request);
std::optional<std::string> FindOpenJournal(const ModelRequest& request);
std::optional<std::string> FindOpenJournal(const BlockRequest& request);

struct SweepRequest {
  std::string filter;  // a regular expression, looked for in text, mnemonic and LLVM's opcode
  std::string isa;     // an extension: "base", "asimd", "avx2", ...
  bool latency = true;
  bool throughput = true;
  bool ports = false;              // also find the ports of each, after all else
  std::optional<double> budget_s;  // the whole call stops after this time and keeps what it has
  int jobs = 1;                    // CPUs to measure on at once
  std::string model;  // LLVM's name of the CPU whose model is compared; empty: this machine's
  JournalRequest journal;
  CodeRequest code;
};

// Fills `instructions`, a row for each opcode that is asked for, `sweep`, and `port_map` where
// ports are asked for.
Result<Document> MeasureSweep(const SweepRequest& request, const OnProgress& on_progress = {});

// The rows of a sweep of this machine as records that llvm-exegesis -mode=analysis reads:
// latencies, or throughputs.
enum class ExegesisQuantity { kLatency, kThroughput };
Result<std::string> ToExegesis(const Document& document, ExegesisQuantity quantity);

// ---- Latency between CPUs

struct CoresRequest {
  std::vector<int> cpus;       // at least two; empty: all that may be used
  bool one_per_core = false;   // of those, only the first of each core
  std::string tests = "cas";   // with commas, or "all"
  std::string instruction;     // that moves the line; empty: each test's own
  std::string home = "first";  // which CPU touches a pair's lines first: "first", "second" or a CPU
  double precision = 0.02;     // width of a pair's interval over its value, to be reached
  double budget_s = 0.1;       // the most time for one pair in one direction
  std::optional<int> rounds;   // visits to each pair; unset: 8, more on a virtual machine
  std::optional<double> duration_s;  // instead: for how long visits go on
  // Fixed numbers in place of precision and budget, where one of them is set.
  std::optional<int> lines;                 // cache lines per pair
  std::optional<int> samples;               // batches per line
  std::optional<int> iterations;            // round trips per batch
  bool parallel = false;                    // disjoint pairs at once
  std::optional<std::uint64_t> seed;        // of the order and the lines; drawn when unset
  bool frequencies = false;                 // fill `frequency` first, which results in cycles need
  CycleChoice cycles = CycleChoice::kAuto;  // for the frequencies
  std::string topology;                     // as in DoctorRequest
};

// Fills `cores`, a matrix for each test.
Result<Document> MeasureCores(const CoresRequest& request = {}, const OnProgress& on_progress = {});

// Reads matrices that another program measured: fills their levels, groups and findings. Those that
// have any already stay as they are.
void InterpretCores(Document& document);

// ---- Caches and memory

struct MemoryRequest {
  std::vector<int> cpus;                   // empty: the last that may be used
  std::optional<int> node;                 // the NUMA node whose memory is used
  std::optional<std::int64_t> most_bytes;  // the largest footprint; by the caches when unset
  std::vector<std::int64_t> sizes;         // only these footprints, where some are given
  bool quick = false;                      // below three seconds, wider intervals
  std::optional<double> budget_s;          // stops after this time and keeps what it has
  std::optional<double> patience_s;        // as in CodeRequest
  std::string topology;                    // as in DoctorRequest
};

// Fills `memory`, a row for each CPU. Never takes more than half of the memory that is free.
Result<Document> MeasureMemory(const MemoryRequest& request = {},
                               const OnProgress& on_progress = {});

// ---- How a core is built

struct AnatomyRequest {
  std::vector<AnatomyPart> parts;  // empty: all
  bool quick = false;              // below two seconds, wider intervals
  bool show_code = false;          // rows with the code that was run
  std::optional<double> budget_s;  // stops after this time and keeps what it has
  CodeRequest code;
};

// Fills `anatomy`.
Result<Document> MeasureAnatomy(const AnatomyRequest& request = {},
                                const OnProgress& on_progress = {});

// The plan of MeasureAnatomy: rows with code and without values. Measures nothing.
Result<Document> PlanAnatomy(const AnatomyRequest& request = {});

// ---- All that predictions for a core rest on

struct ModelRequest {
  std::string filter;              // of the forms, as in SweepRequest
  std::string isa;                 // likewise
  bool quick = false;              // how the core is built is measured as by a quick MeasureAnatomy
  std::optional<double> budget_s;  // the whole call stops after this time and keeps what it has
  int jobs = 1;                    // CPUs to measure forms on at once
  JournalRequest journal;
  CodeRequest code;
};

// Fills `anatomy`, `memory` (with the accesses that depend on where they lie: store forwarding),
// `instructions` with latencies, throughputs and ports, but without the code that was run, `sweep`
// and `port_map`.
Result<Document> MeasureModel(const ModelRequest& request = {}, const OnProgress& on_progress = {});

// ---- GPUs

// The parts of a GPU that can be measured.
enum class GpuPart {
  kInstructions,
  kMemory,  // its caches and its memory
  kMatrix,  // between its multiprocessors
  kTrips,   // between it, the CPUs and other GPUs
};
constexpr auto NamesOf(GpuPart) { return Names("instructions", "memory", "matrix", "trips"); }

struct GpuRequest {
  std::vector<int> devices;        // as the driver counts; empty: all
  std::vector<std::string> texts;  // PTX, a form each; empty: about a hundred common ones
  std::vector<GpuPart> parts;      // empty: all, or the texts alone where there are some
  std::vector<int> cpus;           // of trips; empty: all that may be used
  bool quick = false;              // below five seconds, wider intervals
  bool with_assembly = false;      // what the GPU executes, by nvdisasm, where it is installed
  std::optional<double> budget_s;  // stops after this time and keeps what it has
  std::string topology;            // as in DoctorRequest
  std::string driver;              // as DoctorRequest's
};

// Fills `gpu`, a row for each GPU. The driver is opened in a process of its own, so that a kernel
// that never ends or fails ends that process, not this one.
Result<Document> MeasureGpu(const GpuRequest& request = {}, const OnProgress& on_progress = {});

// ---- Everything

enum class SurveyEffort {
  kQuick,   // wider intervals: below 8 seconds on 16 CPUs
  kNormal,  // below a minute on 16 CPUs
  kFull,    // and a sweep over every instruction
};

struct SurveyRequest {
  std::vector<int> cpus;  // empty: all that may be used
  CycleChoice cycles = CycleChoice::kAuto;
  SurveyEffort effort = SurveyEffort::kNormal;
  std::optional<double> patience_s;  // as in CodeRequest
  std::string topology;              // as in DoctorRequest
  JournalRequest journal;            // of the sweep
  std::string gpu_driver;            // as in DoctorRequest
};

// Fills `doctor`, `frequency`, `cores` (where there are two CPUs), `instructions` and `blocks` with
// the forms that people look for first, `memory` as a quick MeasureMemory does, `anatomy` with the
// windows of a core as a quick MeasureAnatomy finds them, `gpu` (where there
// is one) and, with full effort, the sweep.
Result<Document> MeasureSurvey(const SurveyRequest& request = {},
                               const OnProgress& on_progress = {});

}  // namespace cyclescope
