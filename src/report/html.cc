#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "report/compare.h"
#include "report/compare_output.h"
#include "report/html_template.h"
#include "report/json_text.h"
#include "report/json_writer.h"

namespace cyclescope {
namespace {

// Where web/src/page.html wants the data.
constexpr std::string_view kMarker = "@CYCLESCOPE_DATA@";

// The longest text that Chromium's JavaScript engine holds is 512 MB; the page itself has a share.
constexpr std::size_t kLargestData = std::size_t{480} << 20;

// JSON that may stand in a <script> element. A '<' occurs in texts only, where JSON knows another
// way to write it; without one, no element can end or begin.
void AppendEscaped(std::string& page, std::string_view json) {
  for (;;) {
    const std::size_t place = json.find('<');
    page += json.substr(0, place);
    if (place == std::string_view::npos) return;
    page += "\\u003c";
    json.remove_prefix(place + 1);
  }
}

// The page draws matrices from the documents. Of pairs between cores it lists only those that
// differ, since a comparison of large machines would else be larger than both documents.
void LeaveOffEqualPairs(Comparison& comparison) {
  for (ComparedKind& kind : comparison.kinds) {
    if (kind.kind != ValueKind::kCores) continue;
    kind.values_left_off = std::erase_if(kind.values, [](const ComparedValue& value) {
      return std::ranges::all_of(value.changes, [](const Change& change) {
        return change.verdict == Verdict::kSame || change.verdict == Verdict::kCannotTell;
      });
    });
  }
}

}  // namespace

Result<std::string> ToHtml(std::span<const Document> documents) {
  if (documents.empty()) return BadInput("there is no result to report");
  Comparison comparison;
  if (documents.size() > 1) {
    comparison = Compare(documents, {});
    LeaveOffEqualPairs(comparison);
  }
  std::string data = "{\"results\":[";
  for (std::size_t i = 0; i < documents.size(); ++i) {
    fmt::format_to(std::back_inserter(data), "{}{{\"label\":{},\"source\":{},\"document\":{}}}",
                   i == 0 ? "" : ",", Dump(DocumentLabel(i)), Dump(documents[i].source),
                   ToJson(documents[i]));
  }
  data += "]";
  if (documents.size() > 1) data += ",\"comparison\":" + ToJson(comparison);
  data += "}";
  if (data.size() > kLargestData) {
    return BadInput(fmt::format("the report would hold {} MB of data, more than browsers take",
                                data.size() >> 20),
                    "report fewer results at once");
  }

  const std::string_view page_template = HtmlTemplate();
  const std::size_t marker = page_template.find(kMarker);
  assert(marker != std::string_view::npos);
  std::string page;
  page.reserve(page_template.size() + data.size());
  page += page_template.substr(0, marker);
  AppendEscaped(page, data);
  page += page_template.substr(marker + kMarker.size());
  return page;
}

}  // namespace cyclescope
