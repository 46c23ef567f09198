// Results of earlier runs: files, and machines that are known by name. Those are part of the
// program, or the user keeps them in a folder: $CYCLESCOPE_MACHINES, or cyclescope/machines in the
// user's folder of data. The user's come first.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"

namespace cyclescope::cli {

struct KnownMachine {
  std::string name;
  std::string path;  // empty: part of the program
};

// The user's folder; unset where the environment names none.
std::optional<std::filesystem::path> MachineFolder();

// All of them, in the order of their names.
std::vector<KnownMachine> KnownMachines();

// Its values, without what says how they were found.
Result<Document> ReadFigures(const KnownMachine& machine);

// What `--machine` says: a known name, or a file. An error lists the names.
Result<Document> ReadMachine(const std::string& name_or_file);

// One result document, as it stands in the file; `-` is standard input.
Result<Document> ReadResult(const std::string& path);

// The last result in the folder, by when it was started, and the last one before it that the same
// command left: the older first. An error where there are no two.
Result<std::vector<std::string>> FindLastTwoResults(const std::string& folder);

// What commands that read results are given: files or known names. Each is a result document, or
// the matrix of another core-to-core tool (CSV or text), which is then interpreted. A file is meant
// where there is one of that name.
Result<std::vector<Document>> ReadResults(const std::vector<std::string>& names_or_files);

// How a machine that was just measured differs from the known one of its kind, where there is one
// and enough can be told.
std::optional<BesidePublished> CompareWithKnown(const Document& here);

}  // namespace cyclescope::cli
