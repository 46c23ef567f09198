// The loops that `block` is compared on: each is timed inside a real program (harness.c), and the
// same machine code is given to `cyclescope block` as the compiler's assembly.
#ifndef CYCLESCOPE_BENCHMARKS_LOOPS_H
#define CYCLESCOPE_BENCHMARKS_LOOPS_H

#include <stdint.h>

enum { kMostElements = 1024 };

struct Node {
  struct Node* next;
  long value;
};

// Arrays of their own, 8 KB each at most, with seeded random data.
struct Data {
  double *a, *b, *c;
  float *fa, *fb, *fc;
  long *la, *lb, *lc;
  int32_t *ia, *ib, *ic;
  int32_t* index;  // random, each below kMostElements
  uint8_t *bytes, *more_bytes;
  uint8_t *zeros, *more_zeros;
  uint8_t* classes;  // random, each below 8
  uint8_t* text;     // letters, and no zero
  int32_t* sorted;
  uint32_t* table;     // 256 entries
  int32_t* counts;     // 256 entries
  struct Node* nodes;  // a shuffled ring
  double x, y;
  long k;
};

typedef double Loop(long n, struct Data* data);

struct NamedLoop {
  const char* name;
  Loop* run;
};
extern const struct NamedLoop kLoops[];
extern const int kLoopCount;

#endif
