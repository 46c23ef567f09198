#include "mpi/communicator.h"

#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <vector>

namespace cyclescope::mpi {
namespace {

constexpr int kTextTag = 1;
constexpr int kPingTag = 2;
constexpr int kStreamTag = 3;
constexpr int kDoneTag = 4;

using SteadyClock = std::chrono::steady_clock;

double NanosecondsSince(SteadyClock::time_point begin) {
  return std::chrono::duration<double, std::nano>(SteadyClock::now() - begin).count();
}

}  // namespace

Result<Communicator> Communicator::Open() {
  // The watcher is a thread, and calls no MPI.
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
    return Failed("MPI could not be started", "start it with mpirun or srun --mpi=pmix");
  return Communicator();
}

Communicator::~Communicator() {
  if (joined_) MPI_Finalize();
}

int Communicator::rank() const {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int Communicator::size() const {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

void Communicator::Barrier() const { MPI_Barrier(MPI_COMM_WORLD); }

std::vector<std::string> Communicator::Gather(const std::string& text) const {
  int length = static_cast<int>(text.size());
  const auto ranks = static_cast<std::size_t>(size());
  std::vector<int> lengths(ranks);
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> places(ranks);
  int all = 0;
  for (std::size_t i = 0; i < ranks; ++i) {
    places[i] = all;
    all += lengths[i];
  }
  std::string together(is_root() ? static_cast<std::size_t>(all) : 0, '\0');
  MPI_Gatherv(text.data(), length, MPI_CHAR, together.data(), lengths.data(), places.data(),
              MPI_CHAR, 0, MPI_COMM_WORLD);
  std::vector<std::string> texts;
  for (std::size_t i = 0; is_root() && i < ranks; ++i) {
    texts.push_back(
        together.substr(static_cast<std::size_t>(places[i]), static_cast<std::size_t>(lengths[i])));
  }
  return texts;
}

std::string Communicator::FromRoot(const std::string& text) const {
  std::uint64_t length = text.size();
  MPI_Bcast(&length, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  std::string received = is_root() ? text : std::string(length, '\0');
  MPI_Bcast(received.data(), static_cast<int>(length), MPI_CHAR, 0, MPI_COMM_WORLD);
  return received;
}

void Communicator::SendToRoot(const std::string& text) const {
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, kTextTag, MPI_COMM_WORLD);
}

std::pair<int, std::string> Communicator::ReceiveAny() const {
  MPI_Status status;
  MPI_Probe(MPI_ANY_SOURCE, kTextTag, MPI_COMM_WORLD, &status);
  int length = 0;
  MPI_Get_count(&status, MPI_CHAR, &length);
  std::string text(static_cast<std::size_t>(length), '\0');
  MPI_Recv(text.data(), length, MPI_CHAR, status.MPI_SOURCE, kTextTag, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return {status.MPI_SOURCE, std::move(text)};
}

std::vector<double> Communicator::Exchange(int partner, bool begins, const PingPong& plan) const {
  std::vector<char> message(static_cast<std::size_t>(plan.bytes));
  const int length = static_cast<int>(message.size());
  const auto send = [&] {
    MPI_Send(message.data(), length, MPI_CHAR, partner, kPingTag, MPI_COMM_WORLD);
  };
  const auto receive = [&] {
    MPI_Recv(message.data(), length, MPI_CHAR, partner, kPingTag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  };
  const auto trips = [&](int count) {
    for (int i = 0; i < count; ++i) {
      begins ? send() : receive();
      begins ? receive() : send();
    }
  };
  trips(plan.warm_up);
  std::vector<double> samples;
  for (int batch = 0; batch < plan.batches; ++batch) {
    const auto begin = SteadyClock::now();
    trips(plan.round_trips);
    if (begins) samples.push_back(NanosecondsSince(begin) / (2.0 * plan.round_trips));
  }
  return samples;
}

std::vector<double> Communicator::Send(int partner, bool begins, const Stream& plan) const {
  std::vector<char> memory(static_cast<std::size_t>(plan.bytes));
  const int length = static_cast<int>(memory.size());
  // The partner says that everything is there.
  char done = 0;
  std::vector<double> samples;
  // Made before anything is timed: the rank that begins would wait for it.
  std::vector<std::vector<char>> places;
  if (!begins) places.assign(static_cast<std::size_t>(plan.messages), memory);
  for (int batch = 0; batch <= plan.batches; ++batch) {  // the first is the warm-up
    std::vector<MPI_Request> requests(static_cast<std::size_t>(plan.messages));
    const auto begin = SteadyClock::now();
    if (begins) {
      // All messages are the same memory, which is only read.
      for (MPI_Request& request : requests) {
        MPI_Isend(memory.data(), length, MPI_CHAR, partner, kStreamTag, MPI_COMM_WORLD, &request);
      }
      MPI_Waitall(plan.messages, requests.data(), MPI_STATUSES_IGNORE);
      MPI_Recv(&done, 1, MPI_CHAR, partner, kDoneTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const double bytes = static_cast<double>(plan.bytes) * plan.messages;
      if (batch > 0) samples.push_back(NanosecondsSince(begin) / bytes);
    } else {
      for (std::size_t i = 0; i < requests.size(); ++i) {
        MPI_Irecv(places[i].data(), length, MPI_CHAR, partner, kStreamTag, MPI_COMM_WORLD,
                  &requests[i]);
      }
      MPI_Waitall(plan.messages, requests.data(), MPI_STATUSES_IGNORE);
      MPI_Send(&done, 1, MPI_CHAR, partner, kDoneTag, MPI_COMM_WORLD);
    }
  }
  return samples;
}

void Communicator::Abort(int code) const {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();  // not reached
}

}  // namespace cyclescope::mpi
