// Our HTTP server with an echo, sized answers and streams behind it: the server that scripts/bench
// mcp compares with. Prints its port.
#include "../../bench/roles.h"

int main() { return iii::bench::serve_http_echo(); }
