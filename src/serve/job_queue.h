// One thing at a time: what measures must not be disturbed by what else is asked for. A newer
// question from the same tab of the page takes the place of an older one.
//
//   JobQueue queue;
//   queue.Add({.tab = "left", .run = [](std::stop_token stop) { ... }, .drop = [] { ... }});
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace cyclescope::serve {

struct Job {
  std::string tab;
  // In the queue's own thread. It ends early when it is asked to stop.
  std::function<void(std::stop_token stop)> run;
  // Instead of `run`, when it is not worth doing any more.
  std::function<void()> drop;
};

// May be used by several threads.
class JobQueue {
 public:
  static constexpr std::size_t kMostWaiting = 16;

  JobQueue();
  // Stops what runs and drops what waits.
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // False where too much waits already; then the job is neither run nor dropped.
  bool Add(Job job);

  // True if something waits for what runs: what could as well be done later gives way.
  bool HasWaiting();

  // What this tab asked for is not wanted any more.
  void Cancel(const std::string& tab);

 private:
  void Work(const std::stop_token& ends);
  // Takes what waits for this tab out of the queue, and stops it where it runs.
  std::deque<Job> TakeOut(const std::string& tab);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Job> waiting_;
  std::string running_tab_;
  std::stop_source running_;
  std::jthread thread_;  // the last member: it uses the others
};

}  // namespace cyclescope::serve
