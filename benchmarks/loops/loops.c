// One loop a function: n trips over elements, unless the compiler unrolls or vectorises it.
#include "loops.h"

#include <math.h>

#define LOOP(name) double name(long n, struct Data* d)

LOOP(sum_long) {
  const long* a = d->la;
  long s = 0;
  for (long i = 0; i < n; ++i) s += a[i];
  return (double)s;
}

LOOP(sum_int) {
  const int32_t* a = d->ia;
  int32_t s = 0;
  for (long i = 0; i < n; ++i) s += a[i];
  return s;
}

LOOP(sum_double) {
  const double* a = d->a;
  double s = 0;
  for (long i = 0; i < n; ++i) s += a[i];
  return s;
}

LOOP(dot) {
  const double *a = d->a, *b = d->b;
  double s = 0;
  for (long i = 0; i < n; ++i) s += a[i] * b[i];
  return s;
}

LOOP(half_plus) {
  double* restrict a = d->a;
  const double* restrict b = d->b;
  for (long i = 0; i < n; ++i) a[i] = a[i] * 0.5 + b[i];
  return 0;
}

LOOP(saxpy) {
  float* restrict a = d->fa;
  const float* restrict b = d->fb;
  const float x = (float)d->x;
  for (long i = 0; i < n; ++i) a[i] = x * b[i] + a[i];
  return 0;
}

LOOP(add_three) {
  double* restrict c = d->c;
  const double *restrict a = d->a, *restrict b = d->b;
  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
  return 0;
}

LOOP(xor_seven) {
  long* restrict a = d->la;
  const long* restrict b = d->lb;
  for (long i = 0; i < n; ++i) a[i] = b[i] ^ 7;
  return 0;
}

LOOP(copy_words) {
  int32_t* restrict a = d->ia;
  const int32_t* restrict b = d->ib;
  for (long i = 0; i < n; ++i) a[i] = b[i] + 1;
  return 0;
}

LOOP(prefix_sum) {
  long* a = d->la;
  long s = 0;
  for (long i = 0; i < n; ++i) {
    s += a[i];
    a[i] = s;
  }
  return (double)s;
}

LOOP(prefix_memory) {
  int32_t* a = d->ia;
  for (long i = 0; i < n; ++i) a[i + 1] = a[i] + a[i + 1];
  return 0;
}

LOOP(maximum) {
  const long* a = d->la;
  long m = a[0];
  for (long i = 0; i < n; ++i)
    if (a[i] > m) m = a[i];
  return (double)m;
}

LOOP(max_double) {
  const double* a = d->a;
  double m = a[0];
  for (long i = 0; i < n; ++i) m = a[i] > m ? a[i] : m;
  return m;
}

LOOP(arg_max) {
  const int32_t* a = d->ia;
  long best = 0;
  int32_t m = a[0];
  for (long i = 0; i < n; ++i)
    if (a[i] > m) m = a[i], best = i;
  return (double)best;
}

LOOP(histogram) {
  const uint8_t* a = d->bytes;
  int32_t* restrict counts = d->counts;
  for (long i = 0; i < n; ++i) ++counts[a[i]];
  return 0;
}

LOOP(histogram_zeros) {
  const uint8_t* a = d->zeros;
  int32_t* restrict counts = d->counts;
  for (long i = 0; i < n; ++i) ++counts[a[i]];
  return 0;
}

LOOP(square_roots) {
  double* restrict a = d->a;
  const double* restrict b = d->b;
  for (long i = 0; i < n; ++i) a[i] = sqrt(b[i]);
  return 0;
}

LOOP(popcount) {
  const long* a = d->la;
  long s = 0;
  for (long i = 0; i < n; ++i) s += __builtin_popcountl((unsigned long)a[i]);
  return (double)s;
}

LOOP(find_byte) {
  const uint8_t* a = d->bytes;
  const uint8_t x = (uint8_t)d->k;
  long i = 0;
  for (; i < n; ++i)
    if (a[i] == x) break;
  return (double)i;
}

LOOP(odd_or_even) {
  const long* a = d->la;
  long s = 0, t = 1;
  for (long i = 0; i < n; ++i) {
    if (a[i] & 1)
      s += a[i] * 3;
    else
      t ^= a[i] + s;
  }
  return (double)(s + t);
}

LOOP(sum_of_large) {
  const int32_t* a = d->ia;
  const int32_t limit = (int32_t)d->k;
  long s = 0;
  for (long i = 0; i < n; ++i)
    if (a[i] > limit) s += a[i];
  return (double)s;
}

LOOP(horner) {
  const double* a = d->a;
  const double x = d->x;
  double s = 0;
  for (long i = 0; i < n; ++i) s = s * x + a[i];
  return s;
}

LOOP(crc_by_table) {
  const uint8_t* a = d->bytes;
  const uint32_t* table = d->table;
  uint32_t crc = ~0U;
  for (long i = 0; i < n; ++i) crc = table[(crc ^ a[i]) & 255] ^ crc >> 8;
  return crc;
}

LOOP(walk_list) {
  const struct Node* node = d->nodes;
  long s = 0;
  for (long i = 0; i < n; ++i) {
    s += node->value;
    node = node->next;
  }
  return (double)s;
}

LOOP(gather) {
  const double* a = d->a;
  const int32_t* index = d->index;
  double s = 0;
  for (long i = 0; i < n; ++i) s += a[index[i]];
  return s;
}

LOOP(gather_sum_long) {
  const long* a = d->la;
  const int32_t* index = d->index;
  long s = 0;
  for (long i = 0; i < n; ++i) s += a[index[i]];
  return (double)s;
}

LOOP(count_less) {
  const float* a = d->fa;
  const float x = (float)d->y;
  long s = 0;
  for (long i = 0; i < n; ++i) s += a[i] < x;
  return (double)s;
}

LOOP(absolute_differences) {
  const uint8_t *a = d->bytes, *b = d->more_bytes;
  int32_t s = 0;
  for (long i = 0; i < n; ++i) s += a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
  return s;
}

LOOP(hash_bytes) {
  const uint8_t* a = d->bytes;
  uint64_t h = 14695981039346656037UL;
  for (long i = 0; i < n; ++i) h = (h ^ a[i]) * 1099511628211UL;
  return (double)h;
}

LOOP(low_pass) {
  double* restrict a = d->a;
  const double* restrict b = d->b;
  double y = 0;
  const double x = d->y;
  for (long i = 0; i < n; ++i) {
    y += x * (b[i] - y);
    a[i] = y;
  }
  return y;
}

LOOP(stencil) {
  double* restrict a = d->a;
  const double* restrict b = d->b;
  for (long i = 1; i < n - 1; ++i) a[i] = (b[i - 1] + b[i] + b[i + 1]) * 0.25;
  return 0;
}

LOOP(reverse) {
  int32_t* restrict a = d->ia;
  const int32_t* restrict b = d->ib;
  for (long i = 0; i < n; ++i) a[i] = b[n - 1 - i];
  return 0;
}

LOOP(to_double) {
  double* restrict a = d->a;
  const int32_t* restrict b = d->ib;
  for (long i = 0; i < n; ++i) a[i] = b[i];
  return 0;
}

LOOP(to_int) {
  int32_t* restrict a = d->ia;
  const float* restrict b = d->fb;
  for (long i = 0; i < n; ++i) a[i] = (int32_t)b[i];
  return 0;
}

LOOP(complex_product) {
  float* restrict c = d->fc;
  const float *restrict a = d->fa, *restrict b = d->fb;
  for (long i = 0; i + 1 < n; i += 2) {
    c[i] = a[i] * b[i] - a[i + 1] * b[i + 1];
    c[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
  }
  return 0;
}

LOOP(divide_floats) {
  float* restrict c = d->fc;
  const float *restrict a = d->fa, *restrict b = d->fb;
  for (long i = 0; i < n; ++i) c[i] = a[i] / b[i];
  return 0;
}

LOOP(clamp) {
  int32_t* restrict a = d->ia;
  const int32_t* restrict b = d->ib;
  for (long i = 0; i < n; ++i) {
    int32_t v = b[i];
    if (v < -1000) v = -1000;
    if (v > 1000) v = 1000;
    a[i] = v;
  }
  return 0;
}

LOOP(string_length) {
  const uint8_t* a = d->text;
  long i = 0;
  while (a[i] != 0 && i < n) ++i;
  return (double)i;
}

LOOP(count_spaces) {
  const uint8_t* a = d->text;
  long s = 0;
  for (long i = 0; i < n; ++i)
    if (a[i] == ' ') ++s;
  return (double)s;
}

LOOP(shift_mix) {
  long* restrict a = d->la;
  const long* restrict b = d->lb;
  for (long i = 0; i < n; ++i) {
    uint64_t x = (uint64_t)b[i];
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15UL;
    a[i] = (long)(x ^ x >> 29);
  }
  return 0;
}

LOOP(random_numbers) {
  long* a = d->la;
  uint64_t x = (uint64_t)d->k;
  for (long i = 0; i < n; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    a[i] = (long)x;
  }
  return 0;
}

LOOP(even_and_odd) {
  double* restrict c = d->c;
  const double* restrict a = d->a;
  double s = 0, t = 0;
  for (long i = 0; i + 1 < n; i += 2) {
    s += a[i];
    t *= a[i + 1];
    c[i] = s;
  }
  return s + t;
}

LOOP(matrix_row) {
  double* restrict c = d->c;
  const double *restrict a = d->a, *restrict b = d->b;
  const double x = d->x, y = d->y;
  for (long i = 0; i < n; ++i) c[i] += x * a[i] + y * b[i];
  return 0;
}

#define NAMED(name) {#name, name}
const struct NamedLoop kLoops[] = {
    NAMED(sum_long), NAMED(sum_int), NAMED(sum_double), NAMED(dot), NAMED(half_plus),
    NAMED(saxpy), NAMED(add_three), NAMED(xor_seven), NAMED(copy_words), NAMED(prefix_sum),
    NAMED(prefix_memory), NAMED(maximum), NAMED(max_double), NAMED(arg_max), NAMED(histogram),
    NAMED(histogram_zeros), NAMED(square_roots), NAMED(popcount), NAMED(find_byte),
    NAMED(odd_or_even), NAMED(sum_of_large), NAMED(horner), NAMED(crc_by_table),
    NAMED(walk_list), NAMED(gather), NAMED(gather_sum_long), NAMED(count_less),
    NAMED(absolute_differences), NAMED(hash_bytes), NAMED(low_pass), NAMED(stencil),
    NAMED(reverse), NAMED(to_double), NAMED(to_int), NAMED(complex_product),
    NAMED(divide_floats), NAMED(clamp), NAMED(string_length), NAMED(count_spaces),
    NAMED(shift_mix), NAMED(random_numbers), NAMED(even_and_odd), NAMED(matrix_row)};
const int kLoopCount = sizeof(kLoops) / sizeof(kLoops[0]);
