// How much a document is to be trusted to describe itself.
#pragma once

#include <cstdint>

#include "search/profile.h"

namespace iii::search {

// 255 for a description that reads like one.
uint8_t quality_of(const Document& document, const Profile& profile);

}  // namespace iii::search
