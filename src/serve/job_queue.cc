#include "serve/job_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace cyclescope::serve {

JobQueue::JobQueue() : running_(std::nostopstate) {
  thread_ = std::jthread([this](const std::stop_token& ends) { Work(ends); });
}

JobQueue::~JobQueue() {
  thread_.request_stop();
  {
    const std::scoped_lock lock(mutex_);
    running_.request_stop();
  }
  thread_.join();
  for (const Job& job : waiting_) job.drop();
}

bool JobQueue::Add(Job job) {
  std::deque<Job> dropped;
  {
    const std::scoped_lock lock(mutex_);
    dropped = TakeOut(job.tab);
    if (waiting_.size() >= kMostWaiting) return false;
    waiting_.push_back(std::move(job));
  }
  changed_.notify_one();
  for (const Job& each : dropped) each.drop();
  return true;
}

bool JobQueue::HasWaiting() {
  const std::scoped_lock lock(mutex_);
  return !waiting_.empty();
}

void JobQueue::Cancel(const std::string& tab) {
  std::deque<Job> dropped;
  {
    const std::scoped_lock lock(mutex_);
    dropped = TakeOut(tab);
  }
  for (const Job& each : dropped) each.drop();
}

std::deque<Job> JobQueue::TakeOut(const std::string& tab) {
  if (running_tab_ == tab) running_.request_stop();
  const auto of_tab = std::ranges::stable_partition(
      waiting_, [&tab](const Job& waiting) { return waiting.tab != tab; });
  std::deque<Job> taken(std::make_move_iterator(of_tab.begin()),
                        std::make_move_iterator(of_tab.end()));
  waiting_.erase(of_tab.begin(), of_tab.end());
  return taken;
}

void JobQueue::Work(const std::stop_token& ends) {
  while (true) {
    Job job;
    std::stop_token stop;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, ends, [this] { return !waiting_.empty(); }) ||
          ends.stop_requested()) {
        return;
      }
      job = std::move(waiting_.front());
      waiting_.pop_front();
      running_ = std::stop_source();
      running_tab_ = job.tab;
      stop = running_.get_token();
    }
    job.run(stop);
    const std::scoped_lock lock(mutex_);
    running_ = std::stop_source(std::nostopstate);
    running_tab_.clear();
  }
}

}  // namespace cyclescope::serve
