// The HTTP server of `cyclescope serve`: sockets, and nothing that could be tested without them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/work.h"
#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"

namespace cyclescope::serve {

struct ServeOptions {
  std::string address = "127.0.0.1";
  int port = 0;       // 0: one that is free
  std::string token;  // empty: a random one
  // Reads the result that predictions are made from, where there is one.
  std::function<Result<Document>()> machine;
};

struct Started {
  std::string address;  // "http://127.0.0.1:4711/?token=..."
  bool is_loopback = true;
  bool measures = true;
  std::vector<std::string> compilers;
  std::string why_no_compiler;
};

// Serves until `goes_on` says no, which is asked ten times a second.
Result<void> Serve(ServeOptions options, const std::function<void(const Started&)>& on_start,
                   const GoesOn& goes_on);

// The page that web/src/serve builds, as a part of the program.
std::string_view Page();

}  // namespace cyclescope::serve
