#include "report/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "report/testing/made_documents.h"

namespace cyclescope {
namespace {}  // namespace
}  // namespace cyclescope
