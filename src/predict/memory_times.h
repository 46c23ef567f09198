// How long loads and stores take on a core, alone and beside each other, with all data in the first
// cache: from rows of plain accesses, of `memory` and of `anatomy`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "cyclescope/result/document.h"
#include "predict/core_ports.h"
#include "predict/form_rows.h"

namespace cyclescope::predict {

// A load of what was stored just before, or of some of it.
struct Overlap {
  int store_bytes = 0;
  int load_bytes = 0;
  std::int64_t offset = 0;  // of the load, from where the store begins
  bool of_vector = false;

  bool is_within() const { return offset >= 0 && offset + load_bytes <= store_bytes; }
  bool is_at_begin() const { return offset == 0 && is_within(); }
};

class MemoryTimes {
 public:
  void Read(const Document& document, const CorePorts& ports, FormRows& rows);

  // From an address to what is loaded, where a form does not say.
  double LoadCycles(bool to_vector) const { return load_cycles_[to_vector ? 1 : 0]; }
  // The cycles that a load saves where its address was loaded by the load before it, as Intel's
  // cores until Skylake do.
  double saved_by_loaded_address() const { return saved_by_loaded_address_; }
  // Loads of one bank of the first cache that start in a cycle; 0: as many as there are ports.
  int loads_of_a_bank() const { return loads_of_a_bank_; }
  // Of stores that go to other lines than those before them, and to the same; 0: it is not known.
  double other_line_store_cycles() const { return other_line_store_cycles_; }
  double same_line_store_cycles() const { return same_line_store_cycles_; }
  // Cycles of a load, or of a store, that is so wide and crosses the end of a line. Unset where
  // that costs nothing, or was not measured.
  std::optional<double> SplitCycles(bool stores, int bytes) const;
  // From what is stored to what is loaded, through the load.
  double forwarding_cycles(bool of_vector) const { return forwarding_cycles_[of_vector ? 1 : 0]; }
  // The same where it was loaded, changed and stored again.
  double changed_forwarding_cycles() const { return changed_forwarding_cycles_; }
  // The same of a store and a load that are so wide, and the load this number of bytes behind the
  // store; that of the most similar ones where these were not measured. Unset where none was: of
  // loads that begin where the store does, that lie within it, and that need more than it stored.
  std::optional<double> ForwardingCycles(const Overlap& overlap) const;
  // True if what was stored came to a load in so few cycles that it cannot have gone through it:
  // then the load was renamed to the register that was stored.
  bool IsRenamed(double forwarding_cycles) const;
  // True if it was seen of something that is loaded, changed by a number and stored again. One run
  // stays in the state that it is in: of forms that differ in a number or in their width, some are
  // measured in it, and others not.
  bool RenamesChanged(int bits) const;

 private:
  // A load or a store across the end of a line.
  struct Split {
    bool stores = false;
    int bytes = 0;
    double cycles = 0;  // 0: no more than behind it
  };

  struct Forwarded {
    Overlap overlap;
    double cycles = 0;
  };

  void ReadForwarding(const Document& document);
  void ReadSplits(const Document& document);
  void ReadConflicts(const Document& document);

  double saved_by_loaded_address_ = 0;
  std::array<double, 2> load_cycles_{};
  std::array<double, 2> forwarding_cycles_{};
  std::vector<Forwarded> forwarded_;
  double changed_forwarding_cycles_ = 0;
  bool renames_changed_ = false;
  std::set<int> renamed_bits_;  // widths of integers whose stores reached a load so
  int loads_of_a_bank_ = 0;
  double other_line_store_cycles_ = 0;
  double same_line_store_cycles_ = 0;
  std::vector<Split> splits_;  // the narrowest first
};

}  // namespace cyclescope::predict
