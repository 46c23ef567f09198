// Jumps through tables, as compilers make them of a `switch`: where the code looks for its table
// and what an entry of it means, so that a copy of the code elsewhere gets a table of its own.
//
//   jmp *.L4(,%rax,8)                      an entry is the address itself
//   movslq (%rdx,%rax,4), %rax             an entry is the distance from the table
//   add %rdx, %rax; jmp *%rax
//   ldrb w14, [x11, x12]; adr x13, .LBB0_2 an entry is the distance from a place in the code,
//   add x13, x13, x14, lsl #2; br x13      in instructions
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "blocks/block_code.h"
#include "blocks/trip_values.h"

namespace cyclescope::blocks {

struct TableUse {
  std::size_t jump = 0;              // the number of the instruction
  std::size_t load = 0;              // the instruction that reads the entry; may be the jump
  std::vector<std::size_t> targets;  // by entry: instructions of the loop, one after the other
  std::vector<std::size_t> exits;    // entries that lead out of the loop
  std::size_t count = 0;             // entries of the compiler's table
  std::int64_t entry_bytes = 0;      // of an entry
  std::int64_t entry_stride = 0;     // from one to the next
  std::int64_t displacement = 0;     // of the load
  std::int64_t entry_scale = 1;      // what the entry is multiplied by
  bool entry_is_signed = true;       // where it is shorter than an address
  // The register that holds the table's address all the time; unset: the displacement is it.
  std::optional<GeneralNumber> table_register;
  bool from_table = false;               // the entry is added to that register
  std::optional<std::size_t> from_code;  // or to the address of this byte of the code

  // The index, as far as it is a loaded value and a constant: the value with which it is 0.
  std::set<std::size_t> index_loads;
  std::optional<std::int64_t> index_origin;

  // How many entries there are, so that whatever the index is, it leads into the loop.
  std::size_t EntriesToFill() const;
};

// Unset where a jump's table is not used in a way that is known here.
std::optional<std::vector<TableUse>> ReadTables(const BlockCode& code, const TripValues& values);

// What an entry holds, so that the jump leads to `target`, where the table and the code begin at
// these addresses; unset where it is too short for that.
std::optional<std::uint64_t> EntryFor(const TableUse& use, std::uint64_t target,
                                      std::uint64_t table, std::uint64_t code);

}  // namespace cyclescope::blocks
