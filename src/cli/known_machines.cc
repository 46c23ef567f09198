#include "cli/known_machines.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <ranges>
#include <string_view>
#include <system_error>

#include "analysis/published_words.h"
#include "base/input_text.h"
#include "base/near_names.h"
#include "base/try.h"
#include "cyclescope/measure.h"
#include "document/json_reader.h"
#include "os/user_folders.h"
#include "published/published.h"

namespace cyclescope::cli {
namespace {

constexpr std::string_view kEndings[] = {".json", ".json.gz"};

// "graviton3" of "graviton3.json.gz"; empty for other files.
std::string MachineName(const std::string& file) {
  for (const std::string_view ending : kEndings) {
    if (file.size() > ending.size() && file.ends_with(ending))
      return file.substr(0, file.size() - ending.size());
  }
  return "";
}

bool IsFile(const std::string& text) {
  std::error_code ignored;
  return text == "-" || text.find_first_of("/\\") != std::string::npos ||
         !MachineName(text).empty() || std::filesystem::exists(text, ignored);
}

std::string_view BytesOf(const KnownMachine& machine) {
  const auto files = published::Files();
  const auto file = std::ranges::find(files, machine.name, &published::PublishedFile::name);
  return file == files.end() ? std::string_view() : file->bytes;
}

Result<Document> ReadKnown(const KnownMachine& machine) {
  return machine.path.empty() ? ParseDocument(BytesOf(machine), machine.name)
                              : ReadResult(machine.path);
}

std::vector<std::string> NamesOf(const std::vector<KnownMachine>& machines) {
  std::vector<std::string> names;
  for (const KnownMachine& machine : machines) names.push_back(machine.name);
  return names;
}

Result<Document> ReadNamedOrFile(const std::string& name_or_file) {
  if (IsFile(name_or_file)) return ReadResult(name_or_file);
  const std::vector<KnownMachine> machines = KnownMachines();
  const auto found = std::ranges::find(machines, name_or_file, &KnownMachine::name);
  if (found != machines.end()) return ReadKnown(*found);
  // The machine's name may be mistyped as well as the file's.
  auto missing = ReadResult(name_or_file);
  if (missing) return missing;
  Error error = missing.error();
  const std::vector<std::string> near = NearNames(name_or_file, NamesOf(machines));
  if (!near.empty()) error.hint = fmt::format("a machine is known as '{}'", near.front());
  return std::unexpected(error);
}

}  // namespace

std::optional<std::filesystem::path> MachineFolder() {
  const char* folder = std::getenv("CYCLESCOPE_MACHINES");
  if (folder != nullptr && *folder != '\0') return folder;
  const auto data = os::DataFolder();
  if (!data) return std::nullopt;
  return *data / "cyclescope" / "machines";
}

std::vector<KnownMachine> KnownMachines() {
  std::map<std::string, std::string> paths;
  for (const published::PublishedFile& file : published::Files())
    paths.emplace(std::string(file.name), "");
  if (const auto folder = MachineFolder()) {
    std::error_code ignored;
    for (const auto& each : std::filesystem::directory_iterator(*folder, ignored)) {
      const std::string name = MachineName(each.path().filename().string());
      if (!name.empty()) paths[name] = each.path().string();
    }
  }
  std::vector<KnownMachine> machines;
  for (auto& [name, path] : paths) machines.push_back({name, path});
  return machines;
}

Result<Document> ReadFigures(const KnownMachine& machine) {
  if (machine.path.empty()) return ParseFigures(BytesOf(machine), machine.name);
  const auto bytes = TRY(ReadInput(machine.path));
  return ParseFigures(bytes, machine.path);
}

Result<Document> ReadMachine(const std::string& name_or_file) {
  if (IsFile(name_or_file)) return ReadResult(name_or_file);
  const std::vector<KnownMachine> machines = KnownMachines();
  const auto found = std::ranges::find(machines, name_or_file, &KnownMachine::name);
  if (found != machines.end()) return ReadKnown(*found);
  const std::vector<std::string> names = NamesOf(machines);
  return BadInput(fmt::format("no machine is known as '{}'{}", name_or_file,
                              DidYouMean(NearNames(name_or_file, names))),
                  names.empty() ? "give a file that 'cyclescope model --export-json' wrote"
                                : fmt::format("known are {}; or give a file that 'cyclescope model "
                                              "--export-json' wrote",
                                              fmt::join(names, ", ")));
}

Result<std::vector<Document>> ReadResults(const std::vector<std::string>& names_or_files) {
  std::vector<Document> documents;
  for (const std::string& each : names_or_files) {
    auto document = TRY(ReadNamedOrFile(each));
    InterpretCores(document);
    documents.push_back(std::move(document));
  }
  return documents;
}

std::optional<BesidePublished> CompareWithKnown(const Document& here) {
  const std::string name = published::NameOf(here.host);
  const std::vector<KnownMachine> machines = KnownMachines();
  const auto found = std::ranges::find(machines, name, &KnownMachine::name);
  if (found == machines.end()) return std::nullopt;
  const auto published = ReadFigures(*found);
  if (!published || !IsOneKind(here.host, published->host)) return std::nullopt;
  return CompareWithPublished(here, *published, name);
}

Result<Document> ReadResult(const std::string& path) {
  const auto text = TRY(ReadInput(path));
  return ParseDocument(text, path);
}

Result<std::vector<std::string>> FindLastTwoResults(const std::string& folder) {
  struct Found {
    std::string started;
    std::string command;
    std::string path;
  };
  std::vector<Found> found;
  std::error_code error;
  for (const auto& each : std::filesystem::directory_iterator(folder, error)) {
    if (!IsResultName(each.path().string()) || !each.is_regular_file(error)) continue;
    const std::string path = each.path().lexically_normal().string();
    const auto document = ReadResult(path);
    // Other programs keep JSON here, too.
    if (!document || document->config.started.empty()) continue;
    found.push_back({document->config.started, document->config.command, path});
  }
  std::ranges::sort(found, std::ranges::greater(), &Found::started);
  if (!found.empty()) {
    const Found& last = found.front();
    for (const Found& before : found | std::views::drop(1)) {
      if (before.command == last.command) return std::vector{before.path, last.path};
    }
  }
  return BadInput("there are no two results of one command in this folder",
                  "name two result files, as in: cyclescope compare before.json after.json");
}

}  // namespace cyclescope::cli
