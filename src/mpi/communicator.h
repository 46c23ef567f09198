// All ranks of an MPI job. The only header over MPI: everybody else speaks of ranks and texts.
//
// Calls wait for the other side for as long as it takes. A rank that dies ends the whole job, as
// MPI does it; what rank 0 has until then is the watcher's to save (watcher.h).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cyclescope/base/error.h"

namespace cyclescope::mpi {

class Communicator {
 public:
  // Joins the job.
  static Result<Communicator> Open();
  ~Communicator();
  Communicator(Communicator&& other) noexcept : joined_(std::exchange(other.joined_, false)) {}
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  Communicator& operator=(Communicator&&) = delete;

  int rank() const;
  int size() const;
  bool is_root() const { return rank() == 0; }

  void Barrier() const;

  // The text of every rank, on rank 0; empty elsewhere.
  std::vector<std::string> Gather(const std::string& text) const;
  // Rank 0's text, everywhere.
  std::string FromRoot(const std::string& text) const;

  void SendToRoot(const std::string& text) const;
  // A text that any rank sent to rank 0, and which one it was.
  std::pair<int, std::string> ReceiveAny() const;

  struct PingPong {
    std::int64_t bytes = 8;
    int warm_up = 5;
    int batches = 15;
    int round_trips = 10;
  };
  // Both sides call it. One way, in nanoseconds, for each batch; empty for the rank that does not
  // begin.
  std::vector<double> Exchange(int partner, bool begins, const PingPong& plan) const;

  struct Stream {
    std::int64_t bytes = 1 << 20;
    int messages = 16;  // under way at a time
    int batches = 7;
  };
  // Both sides call it; messages go from the rank that begins to the partner. Nanoseconds per byte
  // for each batch; empty for the rank that does not begin.
  std::vector<double> Send(int partner, bool begins, const Stream& plan) const;

  // Ends all ranks.
  [[noreturn]] void Abort(int code) const;

 private:
  Communicator() = default;

  bool joined_ = true;
};

}  // namespace cyclescope::mpi
