// The parent's own header, which happens to have the name of one of ours.
#pragma once

inline constexpr const char* kParentWord = "parent";
