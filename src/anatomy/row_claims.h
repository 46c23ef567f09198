// What a row says in words: a claim, and its sentence for readers of the text alone.
#pragma once

#include <utility>

#include "analysis/claims.h"
#include "cyclescope/result/anatomy.h"

namespace cyclescope::anatomy {

// Beside its value.
inline void Note(Claim claim, AnatomyRow& row) {
  row.note = Sentence(claim);
  row.claim = std::move(claim);
}

// Gives the row a reason in place of a value.
inline void MarkUnclear(Claim claim, AnatomyRow& row) {
  row.status = Status::kUnmeasurable;
  row.reason = Sentence(claim);
  row.claim = std::move(claim);
}

}  // namespace cyclescope::anatomy
