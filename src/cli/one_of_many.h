// A survey as one of many: an engine started it on every node, or a placeholder names its folder.
// Each run then leaves a document whatever happens to it, and says one line.
//
//   auto run = OneOfMany::Find("out/%h");      // unset: the run is on its own
//   run->folder()                              // "out/n17"
//
// Placeholders: %h the node's name, as the engine knows it; %r the rank; %j the job; %% a percent
// sign.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"

namespace cyclescope::cli {

// The pattern with what the placeholders stand for. An error where the run has no such thing, and
// for a placeholder that there is not.
Result<std::string> FillPlaceholders(std::string_view pattern, const Document& run);

class OneOfMany {
 public:
  // `pattern` is the folder of the run's files; empty where none are written. An error where runs
  // would write to the same files.
  static Result<std::optional<OneOfMany>> Find(std::string_view command, std::string_view pattern);

  const std::string& folder() const { return folder_; }
  const std::string& name() const { return NodeName(run_); }

  // Before anything is measured: a document that says that the run has begun and not ended, which
  // is what is left when it is killed. What an earlier run left in the place of `html` goes.
  Result<void> Begin(const std::string& json, const std::string& html);
  // A run that ended early puts back the whole result that stood there, if no engine started it: to
  // an engine's users yesterday's result of a node that fails today is none. True if it did.
  bool PutBack(const std::string& json, const std::string& html);
  // Instead of the result: a document that says why there is none. Best effort: the error that it
  // is about is the one to be told.
  void Fail(const std::string& json, const Error& error) const;

  // "n17: 3.62 GHz, 2 CPUs, 7 s, 1 warning: out/n17/cyclescope.json"
  std::string Line(const Document& result, const std::string& json) const;

 private:
  OneOfMany(Document run, std::string folder)
      : run_(std::move(run)),
        folder_(std::move(folder)),
        begin_(std::chrono::steady_clock::now()) {}

  struct Earlier {
    std::string json;
    std::optional<std::string> html;
  };

  Document run_;
  std::string folder_;
  std::optional<Earlier> earlier_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace cyclescope::cli
