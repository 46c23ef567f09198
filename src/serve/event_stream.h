// Events on their way from the thread that works to the connection that waits for them, in the form
// of server-sent events (HTML Standard, 9.2).
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace cyclescope::serve {

// "event: progress\ndata: {}\n\n"; the JSON is on one line.
std::string EventText(std::string_view event, std::string_view json);

// May be used by several threads.
class EventStream {
 public:
  // `notify` is called, by whichever thread, when there is something new.
  explicit EventStream(std::function<void()> notify) : notify_(std::move(notify)) {}

  void Send(std::string_view event, std::string_view json);
  // Nothing more will come.
  void Close();

  struct Part {
    std::string text;
    bool is_last = false;
  };
  // What has come since.
  Part Take();

  // The reader is gone: no one reads what is on its way.
  void Abandon() { abandoned_ = true; }
  bool is_abandoned() const { return abandoned_; }

 private:
  std::function<void()> notify_;
  std::mutex mutex_;
  std::string text_;
  bool closed_ = false;
  std::atomic<bool> abandoned_ = false;
};

}  // namespace cyclescope::serve
