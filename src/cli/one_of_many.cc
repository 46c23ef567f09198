#include "cli/one_of_many.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include "analysis/row_figures.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/outputs.h"
#include "cyclescope/measure.h"
#include "document/json_writer.h"
#include "os/engine.h"

namespace cyclescope::cli {
namespace {

bool HasPlaceholder(std::string_view pattern, std::string_view letters) {
  for (std::size_t at = pattern.find('%'); at != std::string_view::npos && at + 1 < pattern.size();
       at = pattern.find('%', at + 2)) {
    if (letters.contains(pattern[at + 1])) return true;
  }
  return false;
}

std::unexpected<Error> NoSuchThing(char letter, std::string_view what) {
  return BadInput(
      fmt::format("'%{}' has no meaning here: nothing says which {} this is", letter, what),
      "start it with srun or mpirun, or use %h, the host's name");
}

// Tasks that would write over each other's files.
Result<void> CheckApart(std::string_view pattern, const Engine& engine) {
  if (engine.ranks.value_or(1) > 1 && !HasPlaceholder(pattern, "hr")) {
    return BadInput(
        fmt::format("{} tasks would write to the same folder '{}'", *engine.ranks, pattern),
        "name it after the node, as in --output 'out/%h'");
  }
  if (engine.local_rank.value_or(0) > 0 && !HasPlaceholder(pattern, "r")) {
    return BadInput(
        fmt::format("tasks of node {} would write to the same folder '{}'", engine.node, pattern),
        "start one task per node, or add the rank, as in --output 'out/%h-%r'");
  }
  return {};
}

std::string TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Result<std::string> FillPlaceholders(std::string_view pattern, const Document& run) {
  std::string filled;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      filled += pattern[i];
      continue;
    }
    const char letter = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    ++i;
    if (letter == 'h') {
      const std::string& name = NodeName(run);
      if (name.empty()) return NoSuchThing('h', "node");
      filled += name;
    } else if (letter == 'r') {
      if (!run.engine || !run.engine->rank) return NoSuchThing('r', "rank");
      filled += fmt::format("{}", *run.engine->rank);
    } else if (letter == 'j') {
      if (!run.engine || run.engine->job.empty()) return NoSuchThing('j', "job");
      filled += run.engine->job;
    } else if (letter == '%') {
      filled += '%';
    } else {
      return BadInput(fmt::format("no such placeholder in '{}': '%{}'", pattern,
                                  letter == '\0' ? "" : std::string(1, letter)),
                      "%h is the node, %r the rank, %j the job, %% a percent sign");
    }
  }
  return filled;
}

Result<std::optional<OneOfMany>> OneOfMany::Find(std::string_view command,
                                                 std::string_view pattern) {
  if (!os::FindEngine() && !pattern.contains('%')) return std::nullopt;
  auto run = TRY(DescribeRun(command));
  if (run.engine && !pattern.empty()) TRY(CheckApart(pattern, *run.engine));
  auto folder = TRY(FillPlaceholders(pattern, run));
  return OneOfMany(std::move(run), std::move(folder));
}

Result<void> OneOfMany::Begin(const std::string& json, const std::string& html) {
  std::error_code ignored;
  if (!run_.engine && HoldsWholeResult(json)) {
    earlier_ = Earlier{TextOf(json), std::nullopt};
    if (std::filesystem::is_regular_file(html, ignored)) earlier_->html = TextOf(html);
  }
  std::filesystem::remove(html, ignored);
  run_.failure = "it began and did not end: it was killed, or runs still";
  return Outputs::WriteFile(json, ToJson(run_));
}

bool OneOfMany::PutBack(const std::string& json, const std::string& html) {
  if (!earlier_) return false;
  const bool is_back = Outputs::WriteFile(json, earlier_->json).has_value();
  if (is_back && earlier_->html) (void)Outputs::WriteFile(html, *earlier_->html);
  return is_back;
}

void OneOfMany::Fail(const std::string& json, const Error& error) const {
  Document failed = run_;
  failed.failure = error.ToString();
  (void)Outputs::WriteFile(json, ToJson(failed));
}

std::string OneOfMany::Line(const Document& result, const std::string& json) const {
  const double took_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  const std::size_t cpus = result.frequency.size();
  const std::size_t warnings = result.warnings.size();
  const std::optional<double> ghz = MedianGhz(result.frequency);
  std::string line =
      fmt::format("{}: {}{} CPU{}, {:.0f} s", NodeName(result),
                  ghz ? fmt::format("{:.3g} GHz, ", *ghz) : "", cpus, cpus == 1 ? "" : "s", took_s);
  if (warnings > 0) line += fmt::format(", {} warning{}", warnings, warnings == 1 ? "" : "s");
  if (result.partial) line += ", not complete";
  if (!json.empty()) line += ": " + json;
  return Printable(line);
}

}  // namespace cyclescope::cli
