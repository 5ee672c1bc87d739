// In addition to library.h, for the tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
