// The front end as rows of the result.
#pragma once

#include <vector>

#include "anatomy/front_end.h"
#include "cyclescope/result/anatomy.h"

namespace cyclescope::anatomy {

// A row for each quantity, those that nothing clear was seen of too, with the reason.
std::vector<AnatomyRow> RowsOf(const FrontEnd& front_end);
std::vector<AnatomyWidth> WidthsOf(const FrontEnd& front_end);

// What would be measured: rows without values, with the code of each pattern.
std::vector<AnatomyRow> PlannedFrontEndRows();

}  // namespace cyclescope::anatomy
