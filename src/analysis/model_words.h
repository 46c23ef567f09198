// Where a scheduling model is wrong, in sentences.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/model_agreement.h"
#include "cyclescope/result/claim.h"

namespace cyclescope {

std::string_view QuantityName(ModelQuantity quantity);  // "latency", "throughput"

// "400 of 412 throughputs on zmm registers with a memory operand are twice the model's: vaddpd
// zmm0, zmm1, [rbx] takes 1, the model has 0.50". It says by how much values differ only where all
// of the group do so by the same.
Claim ClaimOf(const ModelGroup& group);
std::string GroupText(const ModelGroup& group);

// How many values agree, and how many could not be compared.
std::vector<Claim> AgreementClaims(const ModelAgreement& agreement);

// The claims of both functions above, for a document; of many groups only the largest have one.
std::vector<Claim> ModelClaims(std::span<const InstructionRow> rows);

}  // namespace cyclescope
