// The names behind the numbers with which x86-64 processors say what they are (CPUID leaf 1).
#pragma once

#include <string>
#include <string_view>

namespace cyclescope::os {

// As CPUID counts them, extended family and model included.
struct X86Signature {
  std::string_view vendor;  // "Intel", "AMD", "Hygon"
  unsigned family = 0;
  unsigned model = 0;
  unsigned stepping = 0;
};

// "GenuineIntel" to "Intel": the names that CPUID spells are not the ones on the box.
std::string X86VendorName(std::string_view cpuid_name);

// "Intel(R) Xeon(R) CPU    X5" with one blank between words: old processors pad the name.
std::string X86ModelName(std::string_view brand);

// "Granite Rapids (Redwood Cove)": the maker's code name of the product, and that of its core where
// it has another. Empty where it is not in the table.
std::string X86Microarchitecture(const X86Signature& signature);

}  // namespace cyclescope::os
