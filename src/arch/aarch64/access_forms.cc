#include "arch/access_forms.h"

#include <array>

namespace cyclescope::arch {
namespace {

constexpr auto kAccessForms = std::to_array<AccessForm>({
    {1, false, "strb w0, [x1]", "ldurb w0, [x1, #{}]"},
    {2, false, "strh w0, [x1]", "ldurh w0, [x1, #{}]"},
    {4, false, "str w0, [x1]", "ldur w0, [x1, #{}]"},
    {8, false, "str x0, [x1]", "ldur x0, [x1, #{}]"},
    {8, true, "str d0, [x1]", "ldur d0, [x1, #{}]"},
    {16, true, "str q0, [x1]", "ldur q0, [x1, #{}]"},
});

}  // namespace

std::span<const AccessForm> AccessForms() { return kAccessForms; }

std::string_view AccessBase() { return "x1"; }

}  // namespace cyclescope::arch
