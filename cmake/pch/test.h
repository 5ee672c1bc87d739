// As library.h, for unit tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "library.h"
