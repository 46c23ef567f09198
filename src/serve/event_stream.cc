#include "serve/event_stream.h"

#include <fmt/core.h>

#include <cassert>
#include <utility>

namespace cyclescope::serve {

std::string EventText(std::string_view event, std::string_view json) {
  assert(json.find('\n') == std::string_view::npos);
  return fmt::format("event: {}\ndata: {}\n\n", event, json);
}

void EventStream::Send(std::string_view event, std::string_view json) {
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) return;
    text_ += EventText(event, json);
  }
  notify_();
}

void EventStream::Close() {
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
  }
  notify_();
}

EventStream::Part EventStream::Take() {
  const std::scoped_lock lock(mutex_);
  return {std::exchange(text_, {}), closed_};
}

}  // namespace cyclescope::serve
