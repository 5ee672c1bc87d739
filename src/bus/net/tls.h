// Whom to believe at the other end of a `wss://` address.
#pragma once

#include <memory>
#include <string>

#include "foundation/base/result.h"

namespace iii::net {

// The certificates of the authorities that a server may be vouched for by, and the rules of the
// handshake: TLS 1.2 or later, the chain and the name or address of the host are always checked.
// Made once (reading the certificates takes some milliseconds), shared by any number of
// connections.
class TlsTrust;

// `ca_file` holds one or more certificates in PEM form, and then only these count; empty: the
// authorities that the system trusts. Fails with `bad_ca_file`.
Result<std::shared_ptr<const TlsTrust>> make_tls_trust(const std::string& ca_file);

}  // namespace iii::net
