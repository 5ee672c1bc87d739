// The credential helpers of the person at the terminal, for private repositories.
#pragma once

#include <string>

namespace iii::daemon {

// Asks git itself, with the configuration of the person at the terminal, so that helpers for one
// server only (`credential.https://example.com.helper`) are found, too. It answers or fails; it
// never asks a person. Empty: no helper is configured.
std::string own_credential_helper();

}  // namespace iii::daemon
