// For LD_PRELOAD: the rank is killed when it calls a function of MPI for the nth time, as
// CYCLESCOPE_DIE_AT says ("MPI_Gather 2"). By MPI's own interface for tools: what we define here
// comes before the library's function, which is PMPI_… then.
#include <mpi.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>

namespace {

class Death {
 public:
  explicit Death(const char* function) {
    const char* told = std::getenv("CYCLESCOPE_DIE_AT");
    const std::string words = told == nullptr ? "" : told;
    const std::size_t space = words.find(' ');
    if (words.substr(0, space) == function) left_ = std::stoi(words.substr(space + 1));
  }

  void Call() {
    if (--left_ == 0) std::raise(SIGKILL);
  }

 private:
  std::atomic<int> left_ = 0;
};

}  // namespace

extern "C" {

int MPI_Gather(const void* from, int count, MPI_Datatype type, void* to, int to_count,
               MPI_Datatype to_type, int root, MPI_Comm ranks) {
  static Death death("MPI_Gather");
  death.Call();
  return PMPI_Gather(from, count, type, to, to_count, to_type, root, ranks);
}

int MPI_Send(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks) {
  static Death death("MPI_Send");
  death.Call();
  return PMPI_Send(from, count, type, to, tag, ranks);
}

int MPI_Recv(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm ranks,
             MPI_Status* status) {
  static Death death("MPI_Recv");
  death.Call();
  return PMPI_Recv(to, count, type, from, tag, ranks, status);
}

}  // extern "C"
