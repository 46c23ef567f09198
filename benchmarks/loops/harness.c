// The real program: times each loop with 512 and with 1,024 elements, so that the call is taken
// off, in cycles of a chain of xors, one each. It uses none of cyclescope's code.
//
//   harness width                    how many nops this CPU starts in a cycle when it is ours
//   harness time WIDTH [NAME...]     name, cycles per element and rounds on a quiet core, a line
//                                    each; 0 where there were too few
//   harness list                     the names
//   harness trips NAME ADDRESS...    how often each address is executed for 512 more elements
#define _GNU_SOURCE
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loops.h"

enum {
  kFewer = kMostElements / 2,
  kWanted = 60,
  kMostRounds = 3000,
  kBatch = 8,
  kChain = 2000,
  kNops = 10000
};

static uint64_t Random(void) {
  static uint64_t state = 88172645463325252UL;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static void* Array(size_t size) {
  // Room behind the last element, for vector code; each begins with a line of its own.
  void* memory = aligned_alloc(64, (size * kMostElements + 1024) / 64 * 64);
  if (memory == NULL) abort();
  memset(memory, 0, (size * kMostElements + 1024) / 64 * 64);
  return memory;
}

static struct Data MakeData(void) {
  struct Data d;
  d.a = Array(8), d.b = Array(8), d.c = Array(8);
  d.fa = Array(4), d.fb = Array(4), d.fc = Array(4);
  d.la = Array(8), d.lb = Array(8), d.lc = Array(8);
  d.ia = Array(4), d.ib = Array(4), d.ic = Array(4), d.index = Array(4), d.sorted = Array(4);
  d.bytes = Array(1), d.more_bytes = Array(1), d.zeros = Array(1), d.more_zeros = Array(1),
  d.classes = Array(1), d.text = Array(1);
  d.table = Array(4), d.counts = Array(4);
  d.nodes = Array(sizeof(struct Node));
  for (int i = 0; i < kMostElements; ++i) {
    d.a[i] = 1 + (double)(Random() % 1000000) / 1e6;
    d.b[i] = 1 + (double)(Random() % 1000000) / 1e6;
    d.c[i] = 1 + (double)(Random() % 1000000) / 1e6;
    d.fa[i] = (float)d.a[i], d.fb[i] = (float)d.b[i], d.fc[i] = (float)d.c[i];
    d.la[i] = (long)Random(), d.lb[i] = (long)Random(), d.lc[i] = (long)Random();
    d.ia[i] = (int32_t)Random(), d.ib[i] = (int32_t)Random(), d.ic[i] = (int32_t)Random();
    d.index[i] = (int32_t)(Random() % kMostElements);
    d.sorted[i] = 3 * i;
    d.bytes[i] = (uint8_t)(Random() % 255);
    d.more_bytes[i] = (uint8_t)Random();
    d.text[i] = (uint8_t)(Random() % 6 == 0 ? ' ' : 'a' + Random() % 26);
    d.table[i % 256] = (uint32_t)Random();
    d.classes[i] = (uint8_t)(Random() % 8);
  }
  int order[kMostElements];
  for (int i = 0; i < kMostElements; ++i) order[i] = i;
  for (int i = kMostElements - 1; i > 0; --i) {
    const int k = (int)(Random() % (uint64_t)(i + 1)), t = order[i];
    order[i] = order[k], order[k] = t;
  }
  for (int i = 0; i < kMostElements; ++i) {
    d.nodes[order[i]].next = &d.nodes[order[(i + 1) % kMostElements]];
    d.nodes[i].value = i;
  }
  d.x = 0.75, d.y = 0.25, d.k = 255;
  return d;
}

static uint64_t Ticks(void) {
#ifdef __x86_64__
  uint32_t low, high;
  __asm__ volatile("lfence\nrdtsc\nlfence" : "=a"(low), "=d"(high)::"memory");
  return (uint64_t)high << 32 | low;
#else
  uint64_t ticks;
  __asm__ volatile("isb\nmrs %0, cntvct_el0\nisb" : "=r"(ticks)::"memory");
  return ticks;
#endif
}

// A chain of xors takes a cycle each.
static double Chain(int links) {
  uint64_t a = 1, y = 5;
  const uint64_t begin = Ticks();
  for (int i = 0; i < links / 20; ++i) {
#ifdef __x86_64__
    __asm__ volatile(".rept 20\nxor %1, %0\n.endr" : "+r"(a) : "r"(y));
#else
    __asm__ volatile(".rept 20\neor %0, %0, %1\n.endr" : "+r"(a) : "r"(y));
#endif
  }
  return (double)(Ticks() - begin);
}

// Nops take all the slots of a core: a thread beside this one, whatever it does, takes some. (Three
// chains of xors side by side do not see one that waits for memory or computes with vectors.)
static double Nops(void) {
  const uint64_t begin = Ticks();
  for (int i = 0; i < kNops / 100; ++i) __asm__ volatile(".rept 100\nnop\n.endr");
  return (double)(Ticks() - begin);
}

static double Batch(Loop* run, long n, struct Data* data) {
  static volatile double sink;
  const uint64_t begin = Ticks();
  for (int i = 0; i < kBatch; ++i) sink = run(n, data);
  (void)sink;
  return (double)(Ticks() - begin) / kBatch;
}

static int CompareDoubles(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

// The value that a part of them is below.
static double Quantile(double* values, int count, double part) {
  qsort(values, (size_t)count, sizeof(double), CompareDoubles);
  return values[(int)(part * count)];
}

static double Median(double* values, int count) { return Quantile(values, count, 0.5); }

struct Round {
  double fewer, more;        // ticks of a call
  double chain, two_chains;  // of kChain links, and of twice as many
  double nops[2];            // before and after
};

static double CycleOf(const struct Round* round) {
  return (round->two_chains - round->chain) / kChain;
}

static double WidthOf(const struct Round* round, int which) {
  return kNops * CycleOf(round) / round->nops[which];
}

// The rounds in which the core was ours, in cycles of a call: it started all the nops that it can.
// An interrupt makes a chain look long.
static int KeepQuiet(const struct Round* rounds, int count, double width, double* fewer,
                     double* more) {
  static double lengths[kMostRounds];
  for (int i = 0; i < count; ++i) lengths[i] = CycleOf(&rounds[i]);
  const double usual = Median(lengths, count);
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    const double cycle = CycleOf(&rounds[i]);
    if (WidthOf(&rounds[i], 0) < 0.96 * width || WidthOf(&rounds[i], 1) < 0.96 * width) continue;
    if (cycle < 0.97 * usual || cycle > 1.03 * usual) continue;
    fewer[kept] = rounds[i].fewer / cycle;
    more[kept++] = rounds[i].more / cycle;
  }
  return kept;
}

static void TimeChains(struct Round* round) {
  round->chain = Chain(kChain);
  round->two_chains = Chain(2 * kChain);
}

// Most looks may be at a shared core.
static double Width(void) {
  enum { kLooks = 2000 };
  static double widths[kLooks];
  struct Round round = {0};
  for (int i = 0; i < kLooks; ++i) {
    TimeChains(&round);
    round.nops[0] = Nops();
    widths[i] = WidthOf(&round, 0);
  }
  return Quantile(widths, kLooks, 0.9);
}

// Cycles for an element. A neighbour that comes and goes between two looks at the core makes calls
// longer and never shorter: the lower quartiles count.
static void Time(const struct NamedLoop* loop, double width) {
  struct Data data = MakeData();
  static struct Round rounds[kMostRounds];
  static double fewer[kMostRounds], more[kMostRounds];
  for (int i = 0; i < 50; ++i) Batch(loop->run, kMostElements, &data);
  int count = 0, kept = 0;
  double nops = Nops();
  while (count < kMostRounds && kept < kWanted) {
    for (int i = 0; i < kWanted; ++i) {
      struct Round* round = &rounds[count++];
      round->fewer = Batch(loop->run, kFewer, &data);
      round->more = Batch(loop->run, kMostElements, &data);
      TimeChains(round);
      round->nops[0] = nops;
      round->nops[1] = nops = Nops();
    }
    kept = KeepQuiet(rounds, count, width, fewer, more);
  }
  if (kept < kWanted / 4) kept = 0;
  const double cycles = kept > 0 ? (Quantile(more, kept, 0.25) - Quantile(fewer, kept, 0.25)) /
                                       (kMostElements - kFewer)
                                 : 0;
  printf("%s %.4f %d\n", loop->name, cycles, kept);
  fflush(stdout);
}

static uint64_t CounterOf(pid_t child) {
#ifdef __x86_64__
  struct user_regs_struct registers;
#else
  struct user_regs_struct registers;
#endif
  struct iovec part = {&registers, sizeof(registers)};
  if (ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &part) != 0) exit(3);
#ifdef __x86_64__
  return registers.rip;
#else
  return registers.pc;
#endif
}

// Steps through one call and counts.
static void Count(Loop* run, long n, const uint64_t* addresses, int count, long* visits) {
  const pid_t child = fork();
  if (child == 0) {
    struct Data data = MakeData();
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    run(n, &data);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  while (ptrace(PTRACE_SINGLESTEP, child, 0, 0) == 0 && waitpid(child, &status, 0) == child &&
         WIFSTOPPED(status)) {
    const uint64_t at = CounterOf(child);
    for (int i = 0; i < count; ++i) visits[i] += at == addresses[i];
  }
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int trips = strcmp(argv[1], "trips") == 0;
  const int list = strcmp(argv[1], "list") == 0;
  if (strcmp(argv[1], "width") == 0) {
    printf("%.4f\n", Width());
    return 0;
  }
  for (int i = 0; i < kLoopCount; ++i) {
    const int names = trips || list ? 2 : 3;
    int wanted = argc <= names;
    for (int k = names; k < (trips ? 3 : argc); ++k) wanted |= strcmp(argv[k], kLoops[i].name) == 0;
    if (!wanted) continue;
    if (list) {
      puts(kLoops[i].name);
      continue;
    }
    if (!trips) {
      Time(&kLoops[i], argc > 2 ? atof(argv[2]) : 0);
      continue;
    }
    const int count = argc - 3;
    uint64_t addresses[64];
    long fewer[64] = {0}, more[64] = {0};
    for (int k = 0; k < count && k < 64; ++k) addresses[k] = strtoull(argv[k + 3], NULL, 16);
    Count(kLoops[i].run, kFewer, addresses, count, fewer);
    Count(kLoops[i].run, kMostElements, addresses, count, more);
    for (int k = 0; k < count; ++k) printf("%ld\n", more[k] - fewer[k]);
  }
  return 0;
}
