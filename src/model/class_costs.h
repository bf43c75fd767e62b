// Throws Error(subject, ...) unless these are costs of the model's classes, or none.
#pragma once

#include <string_view>

#include "skinmask/model/model.h"

namespace skinmask {

void RequireClassCosts(const ClassCosts& costs, const Model& model, std::string_view subject);

}  // namespace skinmask
