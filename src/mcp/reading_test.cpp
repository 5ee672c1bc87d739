// What reading over MCP returns, and what it does not do.
#include <gmock/gmock.h>

#include "mcp/server_fixture_for_test.h"
