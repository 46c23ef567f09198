// One loop a function: n trips over elements, unless the compiler unrolls or vectorises it.
#include "loops.h"

#include <math.h>
#include <string.h>

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
  const double* restrict a = d->a, * restrict b = d->b;
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
  const float* restrict a = d->fa, * restrict b = d->fb;
  for (long i = 0; i + 1 < n; i += 2) {
    c[i] = a[i] * b[i] - a[i + 1] * b[i + 1];
    c[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
  }
  return 0;
}

LOOP(divide_floats) {
  float* restrict c = d->fc;
  const float* restrict a = d->fa, * restrict b = d->fb;
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
  const double* restrict a = d->a, * restrict b = d->b;
  const double x = d->x, y = d->y;
  for (long i = 0; i < n; ++i) c[i] += x * a[i] + y * b[i];
  return 0;
}

LOOP(string_compare) {
  const uint8_t *a = d->zeros, *b = d->more_zeros;
  long i = 0;
  while (i < n && a[i] == b[i]) ++i;
  return (double)i;
}

LOOP(match_length) {
  const uint8_t *a = d->zeros, *b = d->more_zeros;
  long i = 0;
  for (; i < n; i += 8) {
    uint64_t x, y;
    memcpy(&x, a + i, 8);
    memcpy(&y, b + i, 8);
    if (x != y) return (double)(i + __builtin_ctzl(x ^ y) / 8);
  }
  return (double)i;
}

LOOP(count_characters) {
  const uint8_t* a = d->more_bytes;
  long s = 0;
  for (long i = 0; i < n; ++i) s += (a[i] & 0xc0) != 0x80;
  return (double)s;
}

LOOP(state_machine) {
  const uint8_t* a = d->classes;
  const uint8_t* table = d->more_bytes;
  uint32_t state = 0;
  for (long i = 0; i < n; ++i) state = table[(state & 31) * 8 + a[i]];
  return state;
}

LOOP(base64) {
  const uint8_t *a = d->bytes, *letters = d->text;
  uint8_t* restrict out = (uint8_t*)d->counts;
  for (long i = 0; i + 2 < n; i += 3) {
    const uint32_t x = (uint32_t)a[i] << 16 | (uint32_t)a[i + 1] << 8 | a[i + 2];
    out[0] = letters[x >> 18], out[1] = letters[x >> 12 & 63];
    out[2] = letters[x >> 6 & 63], out[3] = letters[x & 63];
    out += 4;
  }
  return 0;
}

LOOP(partition) {
  int32_t* a = d->ia;
  const int32_t pivot = (int32_t)d->k;
  long j = 0;
  for (long i = 0; i < n; ++i) {
    const int32_t v = a[i];
    a[i] = a[j];
    a[j] = v;
    j += v < pivot;
  }
  return (double)j;
}

LOOP(shift_right_by_one) {
  int32_t* a = d->ia;
  const int32_t key = INT32_MIN + d->zeros[0];
  long j = n;
  while (j > 0 && a[j - 1] >= key) {
    a[j] = a[j - 1];
    --j;
  }
  return (double)j;
}

LOOP(mandelbrot) {
  const double cx = d->y - 0.35, cy = 0.1;
  double x = 0, y = 0;
  long i = 0;
  for (; i < n; ++i) {
    const double xx = x * x, yy = y * y;
    if (xx + yy > 4) break;
    y = 2 * x * y + cy;
    x = xx - yy + cx;
  }
  return (double)i;
}

LOOP(popcount_by_table) {
  const uint8_t *a = d->bytes, *table = d->more_bytes;
  long s = 0;
  for (long i = 0; i < n; ++i) s += table[a[i]];
  return (double)s;
}

LOOP(linear_congruential) {
  uint64_t x = (uint64_t)d->k, s = 0;
  for (long i = 0; i < n; ++i) {
    x = x * 6364136223846793005UL + 1442695040888963407UL;
    s += x >> 33;
  }
  return (double)s;
}

LOOP(sieve) {
  uint8_t* flags = (uint8_t*)d->a;
  const long p = 7;
  for (long i = 0, j = 0; i < n; ++i, j += p) flags[j] = 1;
  return 0;
}

LOOP(runs) {
  const uint8_t* a = d->classes;
  long s = 1;
  for (long i = 1; i < n; ++i) s += a[i] != a[i - 1];
  return (double)s;
}

LOOP(transpose) {
  const int32_t* restrict a = d->ia;
  int32_t* restrict b = d->ib;
  for (long i = 0; i < n / 32; ++i)
    for (long j = 0; j < 32; ++j) b[j * 32 + i] = a[i * 32 + j];
  return 0;
}

LOOP(list_with_payload) {
  struct Node* node = d->nodes;
  for (long i = 0; i < n; ++i) {
    node->value = node->value * 3 + 1;
    node = node->next;
  }
  return 0;
}

LOOP(bit_reverse) {
  uint32_t* restrict a = (uint32_t*)d->ia;
  const uint32_t* restrict b = (const uint32_t*)d->ib;
  for (long i = 0; i < n; ++i) {
    uint32_t x = b[i];
    x = (x >> 1 & 0x55555555U) | (x & 0x55555555U) << 1;
    x = (x >> 2 & 0x33333333U) | (x & 0x33333333U) << 2;
    x = (x >> 4 & 0x0f0f0f0fU) | (x & 0x0f0f0f0fU) << 4;
    a[i] = __builtin_bswap32(x);
  }
  return 0;
}

LOOP(polynomial) {
  double* restrict a = d->a;
  const double* restrict b = d->b;
  for (long i = 0; i < n; ++i) {
    const double x = b[i];
    a[i] = (((x * 0.5 + 0.25) * x + 0.125) * x + 0.0625) * x + 1;
  }
  return 0;
}

LOOP(minimum_and_maximum) {
  const float* a = d->fa;
  float low = a[0], high = a[0];
  for (long i = 0; i < n; ++i) {
    low = a[i] < low ? a[i] : low;
    high = a[i] > high ? a[i] : high;
  }
  return low + high;
}

LOOP(fir_filter) {
  float* restrict a = d->fa;
  const float* restrict b = d->fb;
  for (long i = 0; i < n - 4; ++i)
    a[i] = b[i] * 0.1F + b[i + 1] * 0.2F + b[i + 2] * 0.4F + b[i + 3] * 0.2F + b[i + 4] * 0.1F;
  return 0;
}

LOOP(prefix_maximum) {
  int32_t* restrict a = d->ia;
  const int32_t* restrict b = d->ib;
  int32_t m = INT32_MIN;
  for (long i = 0; i < n; ++i) {
    m = b[i] > m ? b[i] : m;
    a[i] = m;
  }
  return m;
}

LOOP(ring_buffer) {
  int32_t* restrict ring = d->counts;
  const int32_t* restrict a = d->ia;
  const long head = d->k;
  for (long i = 0; i < n; ++i) ring[(head + i) & 63] = a[i];
  return 0;
}

LOOP(adler) {
  const uint8_t* a = d->bytes;
  uint32_t s = 1, t = 0;
  for (long i = 0; i < n; ++i) {
    s += a[i];
    t += s;
  }
  return (double)(t ^ s);
}

LOOP(remainders) {
  const uint32_t* a = (const uint32_t*)d->ia;
  const uint32_t divisor = (uint32_t)d->k;
  long s = 0;
  for (long i = 0; i < n; ++i) s += a[i] % divisor;
  return (double)s;
}

LOOP(to_upper) {
  uint8_t* restrict out = (uint8_t*)d->counts;
  const uint8_t* restrict a = d->text;
  for (long i = 0; i < n; ++i) out[i] = a[i] >= 'a' && a[i] <= 'z' ? a[i] - 32 : a[i];
  return 0;
}

LOOP(moving_sum) {
  long* restrict a = d->la;
  const long* restrict b = d->lb;
  long s = 0;
  for (long i = 8; i < n; ++i) {
    s += b[i] - b[i - 8];
    a[i] = s;
  }
  return (double)s;
}

LOOP(count_words) {
  const uint8_t* a = d->text;
  long words = 0;
  int inside = 0;
  for (long i = 0; i < n; ++i) {
    const int letter = a[i] != ' ';
    words += letter && !inside;
    inside = letter;
  }
  return (double)words;
}

LOOP(read_number) {
  const uint8_t* a = d->text;
  uint64_t x = 0;
  for (long i = 0; i < n; ++i) x = x * 10 + (a[i] - '0');
  return (double)x;
}

LOOP(switch_of_eight) {
  const uint8_t* p = d->classes;
  long a = 0, b = 1, c = 2;
  for (long i = 0; i < n; ++i) {
    switch (p[i]) {
      case 0:
        a += b;
        break;
      case 1:
        b ^= a;
        break;
      case 2:
        c = a * b;
        break;
      case 3:
        a -= c;
        break;
      case 4:
        b = b << 3 | a;
        break;
      case 5:
        c ^= a + b;
        break;
      case 6:
        a = a * 7 + c;
        break;
      case 7:
        b = ~b;
        break;
    }
  }
  return (double)(a + b + c);
}

LOOP(switch_of_ten) {
  const uint8_t* p = d->classes;
  double* s = d->c;
  double x = d->x;
  for (long i = 0; i < n; ++i) {
    switch (p[i] + 3) {
      case 3:
        x += 1;
        break;
      case 4:
        s[0] = x;
        break;
      case 5:
        x = s[0] + x;
        break;
      case 6:
        s[1] = s[2] * 0.5;
        break;
      case 7:
        x *= 0.5;
        break;
      case 8:
        s[2] = x + s[1];
        break;
      case 9:
        s[3] += 1;
        break;
      case 10:
        x = s[3] * 0.25;
        break;
      case 11:
        x = -x;
        break;
      case 12:
        s[4] = 0;
        break;
    }
  }
  return x;
}

LOOP(binary_search) {
  const int32_t* a = d->sorted;
  const int32_t* keys = d->index;
  long s = 0;
  for (long i = 0; i < n; ++i) {
    const int32_t key = 3 * keys[i];
    long low = 0, high = kMostElements;
    while (low < high) {
      const long middle = (low + high) / 2;
      if (a[middle] < key)
        low = middle + 1;
      else
        high = middle;
    }
    s += low;
  }
  return (double)s;
}

LOOP(strings_copied) {
  uint8_t* restrict out = (uint8_t*)d->counts;
  const uint8_t* restrict a = d->text;
  long i = 0;
  for (; i < n; ++i) {
    out[i] = a[i];
    if (a[i] == 0) break;
  }
  return (double)i;
}

LOOP(saturating_sum) {
  uint8_t* restrict out = (uint8_t*)d->counts;
  const uint8_t* restrict a = d->bytes, * restrict b = d->more_bytes;
  for (long i = 0; i < n; ++i) {
    const int sum = a[i] + b[i];
    out[i] = (uint8_t)(sum > 255 ? 255 : sum);
  }
  return 0;
}

LOOP(stencil_of_five) {
  float* restrict a = d->fa;
  const float* restrict b = d->fb;
  for (long y = 1; y < n / 32 - 1; ++y)
    for (long x = 1; x < 31; ++x)
      a[y * 32 + x] = 0.2F * (b[y * 32 + x] + b[y * 32 + x - 1] + b[y * 32 + x + 1] +
                              b[y * 32 + x - 32] + b[y * 32 + x + 32]);
  return 0;
}

LOOP(hash_of_31) {
  const uint8_t* a = d->bytes;
  uint32_t h = 7;
  for (long i = 0; i < n; ++i) h = h * 31 + a[i];
  return h;
}

LOOP(run_lengths) {
  const uint8_t* restrict a = d->classes;
  int32_t* restrict out = d->ic;
  long runs = 0;
  int32_t length = 0;
  for (long i = 1; i < n; ++i) {
    ++length;
    if (a[i] != a[i - 1]) out[runs++] = length, length = 0;
  }
  return (double)runs;
}

LOOP(reverse_by_table) {
  uint8_t* restrict out = (uint8_t*)d->counts;
  const uint8_t *a = d->bytes, *table = d->more_bytes;
  for (long i = 0; i < n; ++i) out[i] = table[a[i]];
  return 0;
}

LOOP(fixed_point_filter) {
  int16_t* restrict out = (int16_t*)d->ia;
  const int16_t* restrict a = (const int16_t*)d->ib;
  for (long i = 0; i < n - 4; ++i)
    out[i] = (int16_t)((a[i] * 1024 + a[i + 1] * 8192 + a[i + 2] * 14336 + a[i + 3] * 8192 +
                        a[i + 4] * 1024) >>
                       15);
  return 0;
}

LOOP(matrix_times_vector) {
  const float* restrict a = d->fa;
  const float* restrict x = d->fb;
  float* restrict y = d->fc;
  for (long row = 0; row < n / 32; ++row) {
    float s = 0;
    for (long i = 0; i < 32; ++i) s += a[row * 32 + i] * x[i];
    y[row] = s;
  }
  return 0;
}

LOOP(insertion_sort) {
  const int32_t* restrict b = d->ib;
  int32_t* restrict a = d->ia;
  for (long i = 0; i < n; ++i) {
    const int32_t key = b[i];
    long j = i & 15;
    while (j > 0 && a[(i & ~15) + j - 1] > key) {
      a[(i & ~15) + j] = a[(i & ~15) + j - 1];
      --j;
    }
    a[(i & ~15) + j] = key;
  }
  return 0;
}

LOOP(swap_if_greater) {
  int32_t* restrict a = d->ia;
  int32_t* restrict b = d->ib;
  for (long i = 0; i < n; ++i) {
    if (a[i] > b[i]) {
      const int32_t t = a[i];
      a[i] = b[i];
      b[i] = t;
    }
  }
  return 0;
}

LOOP(mix_of_sounds) {
  int16_t* restrict out = (int16_t*)d->ia;
  const int16_t* restrict a = (const int16_t*)d->ib;
  const int16_t* restrict b = (const int16_t*)d->ic;
  const int gain = (int)d->k;
  for (long i = 0; i < n; ++i) {
    int v = (a[i] * gain + b[i] * (256 - gain)) >> 8;
    if (v > 32767) v = 32767;
    if (v < -32768) v = -32768;
    out[i] = (int16_t)v;
  }
  return 0;
}

LOOP(squares_of_points) {
  const float *x = d->fa, *y = d->fb, *z = d->fc;
  float s = 0;
  for (long i = 0; i < n; ++i) s += x[i] * x[i] + y[i] * y[i] + z[i] * z[i];
  return s;
}

LOOP(points_in_place) {
  struct Point {
    float x, y, z;
  }* p = (struct Point*)d->fa;
  const float dx = (float)d->x;
  for (long i = 0; i < n / 4; ++i) {
    p[i].x += dx;
    p[i].y += dx * p[i].z;
  }
  return 0;
}

LOOP(reverse_in_place) {
  int32_t *p = d->ia, *q = d->ia + n - 1;
  while (p < q) {
    const int32_t t = *p;
    *p++ = *q;
    *q-- = t;
  }
  return 0;
}

LOOP(palindrome) {
  const uint8_t* a = d->zeros;
  long i = 0, j = n - 1;
  while (i < j && a[i] == a[j]) ++i, --j;
  return (double)i;
}

LOOP(blend) {
  uint8_t* restrict out = (uint8_t*)d->counts;
  const uint8_t* restrict a = d->bytes, * restrict b = d->more_bytes;
  const int alpha = (int)d->k >> 1;
  for (long i = 0; i < n; ++i) out[i] = (uint8_t)((a[i] * alpha + b[i] * (256 - alpha)) >> 8);
  return 0;
}

LOOP(interleave) {
  int32_t* restrict out = (int32_t*)d->a;
  const int32_t* restrict a = d->ia, * restrict b = d->ib;
  for (long i = 0; i < n; ++i) out[2 * i] = a[i], out[2 * i + 1] = b[i];
  return 0;
}

LOOP(merge) {
  // Of two random arrays: which one goes on is not predicted.
  const int32_t *a = d->ia, *b = d->ib;
  int32_t* restrict out = (int32_t*)d->a;
  long i = 0, j = 0, k = 0;
  while (i < n && j < n) {
    if (a[i] < b[j])
      out[k++] = a[i++];
    else
      out[k++] = b[j++];
  }
  return (double)k;
}

LOOP(bubble) {
  int32_t* a = d->ia;
  for (long i = 0; i < n - 1; ++i) {
    if (a[i] > a[i + 1]) {
      const int32_t t = a[i];
      a[i] = a[i + 1];
      a[i + 1] = t;
    }
  }
  return 0;
}

LOOP(sum_of_products_mod) {
  const uint32_t *a = (const uint32_t*)d->ia, *b = (const uint32_t*)d->ib;
  uint64_t s = 0;
  for (long i = 0; i < n; ++i) s = (s + (uint64_t)a[i] * b[i]) % 1000000007U;
  return (double)s;
}

// What a zero behind the data ends.
LOOP(string_end) {
  uint8_t* a = d->text;
  const uint8_t kept = a[n];
  a[n] = 0;
  const uint8_t* p = a;
  while (*p != 0) ++p;
  a[n] = kept;
  return (double)(p - a);
}

LOOP(copy_string) {
  uint8_t* a = d->text;
  const uint8_t kept = a[n];
  a[n] = 0;
  const uint8_t* p = a;
  uint8_t* out = (uint8_t*)d->counts;
  while ((*out++ = *p++) != 0) {
  }
  a[n] = kept;
  return (double)(p - a);
}

LOOP(hash_of_string) {
  uint8_t* a = d->text;
  const uint8_t kept = a[n];
  a[n] = 0;
  const uint8_t* p = a;
  uint32_t h = 5381, c;
  while ((c = *p++) != 0) h = h * 33 + c;
  a[n] = kept;
  return h;
}

// Compilers call `sqrt` for numbers below zero, of which there are none.
LOOP(hypotenuses) {
  double* restrict a = d->a;
  const double *b = d->b, *c = d->c;
  for (long i = 0; i < n; ++i) a[i] = sqrt(b[i] * b[i] + c[i] * c[i]);
  return 0;
}

// A condition that is added to an index.
LOOP(filter_less) {
  const int32_t* restrict a = d->ia;
  int32_t* restrict out = d->ib;
  const int32_t limit = (int32_t)d->k;
  long k = 0;
  for (long i = 0; i < n; ++i) {
    out[k] = a[i];
    k += a[i] < limit;
  }
  return (double)k;
}

LOOP(run_length_encoding) {
  const uint8_t* restrict a = d->classes;
  uint8_t* restrict out = (uint8_t*)d->counts;
  long k = 0;
  for (long i = 0; i < n; ++i) {
    out[k] = a[i];
    k += a[i] != a[i + 1];
  }
  return (double)k;
}

// Parts of structures: a trip goes far, and reads little.
LOOP(records_counted) {
  const struct Record {
    uint8_t name[20];
    int32_t age;
    uint8_t flag;
  }* r = (const struct Record*)d->la;
  long s = 0;
  for (long i = 0; i < n / 4; ++i) s += r[i].flag != 0 && r[i].age > 30;
  return (double)s;
}

LOOP(add_where_odd) {
  const int32_t *a = d->ia, *b = d->ib;
  int32_t* restrict out = d->ic;
  for (long i = 0; i < n; ++i) {
    if (a[i] & 1) out[i] += b[i];
  }
  return 0;
}

// A table of the program's own, of which code that is linked at a fixed place has the address.
static const uint8_t kDigits[16] = {'0', '1', '2', '3', '4', '5', '6', '7',
                                    '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
LOOP(to_hexadecimal) {
  const uint8_t* restrict a = d->bytes;
  uint8_t* restrict out = (uint8_t*)d->a;
  for (long i = 0; i < n; ++i) out[2 * i] = kDigits[a[i] >> 4], out[2 * i + 1] = kDigits[a[i] & 15];
  return 0;
}

LOOP(multiply_by_word) {
  const uint64_t* restrict a = (const uint64_t*)d->la;
  uint64_t* restrict out = (uint64_t*)d->lb;
  const uint64_t factor = (uint64_t)d->lc[0];
  uint64_t carry = 0;
  for (long i = 0; i < n; ++i) {
    const unsigned __int128 product = (unsigned __int128)a[i] * factor + carry;
    out[i] = (uint64_t)product;
    carry = (uint64_t)(product >> 64);
  }
  return (double)carry;
}

LOOP(tridiagonal) {
  double* restrict x = d->a;
  const double *lower = d->b, *diagonal = d->c;
  for (long i = 1; i < n; ++i) x[i] = (x[i] - lower[i] * x[i - 1]) * diagonal[i];
  return 0;
}

#define NAMED(name) {#name, name}
const struct NamedLoop kLoops[] = {NAMED(sum_long),
                                   NAMED(sum_int),
                                   NAMED(sum_double),
                                   NAMED(dot),
                                   NAMED(half_plus),
                                   NAMED(saxpy),
                                   NAMED(add_three),
                                   NAMED(xor_seven),
                                   NAMED(copy_words),
                                   NAMED(prefix_sum),
                                   NAMED(prefix_memory),
                                   NAMED(maximum),
                                   NAMED(max_double),
                                   NAMED(arg_max),
                                   NAMED(histogram),
                                   NAMED(histogram_zeros),
                                   NAMED(square_roots),
                                   NAMED(popcount),
                                   NAMED(find_byte),
                                   NAMED(odd_or_even),
                                   NAMED(sum_of_large),
                                   NAMED(horner),
                                   NAMED(crc_by_table),
                                   NAMED(walk_list),
                                   NAMED(gather),
                                   NAMED(gather_sum_long),
                                   NAMED(count_less),
                                   NAMED(absolute_differences),
                                   NAMED(hash_bytes),
                                   NAMED(low_pass),
                                   NAMED(stencil),
                                   NAMED(reverse),
                                   NAMED(to_double),
                                   NAMED(to_int),
                                   NAMED(complex_product),
                                   NAMED(divide_floats),
                                   NAMED(clamp),
                                   NAMED(string_length),
                                   NAMED(count_spaces),
                                   NAMED(shift_mix),
                                   NAMED(random_numbers),
                                   NAMED(even_and_odd),
                                   NAMED(matrix_row),
                                   NAMED(string_compare),
                                   NAMED(match_length),
                                   NAMED(count_characters),
                                   NAMED(state_machine),
                                   NAMED(base64),
                                   NAMED(partition),
                                   NAMED(shift_right_by_one),
                                   NAMED(mandelbrot),
                                   NAMED(popcount_by_table),
                                   NAMED(linear_congruential),
                                   NAMED(sieve),
                                   NAMED(runs),
                                   NAMED(transpose),
                                   NAMED(list_with_payload),
                                   NAMED(bit_reverse),
                                   NAMED(polynomial),
                                   NAMED(minimum_and_maximum),
                                   NAMED(fir_filter),
                                   NAMED(prefix_maximum),
                                   NAMED(ring_buffer),
                                   NAMED(adler),
                                   NAMED(remainders),
                                   NAMED(to_upper),
                                   NAMED(moving_sum),
                                   NAMED(count_words),
                                   NAMED(read_number),
                                   NAMED(switch_of_eight),
                                   NAMED(switch_of_ten),
                                   NAMED(binary_search),
                                   NAMED(strings_copied),
                                   NAMED(saturating_sum),
                                   NAMED(stencil_of_five),
                                   NAMED(hash_of_31),
                                   NAMED(run_lengths),
                                   NAMED(reverse_by_table),
                                   NAMED(fixed_point_filter),
                                   NAMED(matrix_times_vector),
                                   NAMED(insertion_sort),
                                   NAMED(swap_if_greater),
                                   NAMED(mix_of_sounds),
                                   NAMED(squares_of_points),
                                   NAMED(points_in_place),
                                   NAMED(reverse_in_place),
                                   NAMED(palindrome),
                                   NAMED(blend),
                                   NAMED(interleave),
                                   NAMED(merge),
                                   NAMED(bubble),
                                   NAMED(sum_of_products_mod),
                                   NAMED(string_end),
                                   NAMED(copy_string),
                                   NAMED(hash_of_string),
                                   NAMED(hypotenuses),
                                   NAMED(filter_less),
                                   NAMED(run_length_encoding),
                                   NAMED(records_counted),
                                   NAMED(add_where_odd),
                                   NAMED(to_hexadecimal),
                                   NAMED(multiply_by_word),
                                   NAMED(tridiagonal)};
const int kLoopCount = sizeof(kLoops) / sizeof(kLoops[0]);
