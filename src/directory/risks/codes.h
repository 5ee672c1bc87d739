// Every code that a finding can have. Callers compare codes and configurations name them, so a code
// is never renamed; texts may change. docs/risks.md is made from this table (codes_test.cpp).
#pragma once

#include <array>

#include "directory/risks/risk.h"

namespace iii::risks {

namespace code {
inline constexpr std::string_view kHiddenTags = "hidden_tags";
inline constexpr std::string_view kHiddenBidi = "hidden_bidi";
inline constexpr std::string_view kHiddenZeroWidth = "hidden_zero_width";
inline constexpr std::string_view kHiddenSelectors = "hidden_selectors";
inline constexpr std::string_view kDownloadRun = "download_run";
inline constexpr std::string_view kEncodedRun = "encoded_run";
inline constexpr std::string_view kArchivePassword = "archive_password";
inline constexpr std::string_view kEncryptedArchive = "encrypted_archive";
inline constexpr std::string_view kExecutable = "executable";
inline constexpr std::string_view kDisguisedExecutable = "disguised_executable";
inline constexpr std::string_view kCredentialPath = "credential_path";
inline constexpr std::string_view kCredentialUpload = "credential_upload";
inline constexpr std::string_view kEnvironmentDump = "environment_dump";
inline constexpr std::string_view kEnvironmentUpload = "environment_upload";
inline constexpr std::string_view kAgentMemoryWrite = "agent_memory_write";
inline constexpr std::string_view kInstructionOverride = "instruction_override";
inline constexpr std::string_view kConcealment = "concealment";
inline constexpr std::string_view kApprovalOff = "approval_off";
inline constexpr std::string_view kRawAddress = "raw_address";
inline constexpr std::string_view kPasteHost = "paste_host";
inline constexpr std::string_view kWebhookHost = "webhook_host";
inline constexpr std::string_view kNewCommand = "new_command";
inline constexpr std::string_view kScanIncomplete = "scan_incomplete";
}  // namespace code

inline constexpr auto kCodes = std::to_array<CodeInfo>({
    {code::kHiddenTags, Severity::kHigh, "invisible tag characters",
     "Unicode tag characters spell out text that a person does not see and a model reads.",
     "Look at the file in a hex viewer; remove the characters."},
    {code::kHiddenBidi, Severity::kHigh, "characters that reorder the text on the screen",
     "With a direction override, what is shown differs from what is read or run.",
     "Show the file with these characters visible; remove them unless it is right-to-left text."},
    {code::kHiddenZeroWidth, Severity::kHigh, "zero-width characters",
     "Runs of characters without width can carry hidden text, and one inside a word defeats a "
     "search for it.",
     "Remove them; single ones often come from copied web pages."},
    {code::kHiddenSelectors, Severity::kHigh, "a run of variation selectors",
     "A run of variation selectors carries arbitrary bytes behind one visible character.",
     "Look at the file in a hex viewer; remove the characters."},
    {code::kDownloadRun, Severity::kHigh, "something is downloaded and run",
     "Whoever controls that address, or the way to it, decides what runs on this machine, today "
     "and later.",
     "Download it, read it, then run it; prefer a package manager or a pinned version with a "
     "checksum."},
    {code::kEncodedRun, Severity::kHigh, "encoded text is decoded and run",
     "Encoding hides from a reader what will run.",
     "Decode it without running it, and read the result."},
    {code::kArchivePassword, Severity::kMedium, "an archive is opened with a password",
     "A password keeps scanners from seeing what an archive contains.",
     "Find out what is in the archive and why it needs a password."},
    {code::kEncryptedArchive, Severity::kHigh, "an encrypted ZIP archive",
     "Its content cannot be examined before it is opened.",
     "Ask the author for the content as plain files."},
    {code::kExecutable, Severity::kMedium, "a compiled program",
     "What it does cannot be read from the file.",
     "Build it from source, or compare its checksum with a release that you trust."},
    {code::kDisguisedExecutable, Severity::kHigh, "a compiled program whose name says otherwise",
     "A program that is named like a text or an image is meant not to be noticed.",
     "Do not run it; ask the author."},
    {code::kCredentialPath, Severity::kMedium, "a place where credentials are kept",
     "Keys and tokens that an agent reads become part of its context, and of everything that it "
     "sends.",
     "Check that the skill needs them; give it a key of its own with few rights."},
    {code::kCredentialUpload, Severity::kHigh, "credentials are read and sent in one command",
     "This is how keys and tokens are stolen.", "Do not run it; find out where it sends them."},
    {code::kEnvironmentDump, Severity::kMedium, "all environment variables are printed or stored",
     "Environments often hold tokens and passwords.",
     "Name the variables that are needed instead."},
    {code::kEnvironmentUpload, Severity::kHigh, "all environment variables are sent to the network",
     "Environments often hold tokens and passwords; this is how they are stolen.",
     "Do not run it; find out where it sends them."},
    {code::kAgentMemoryWrite, Severity::kMedium, "instructions or settings of agents are written",
     "What is written to an agent's memory or settings applies to every later session, long after "
     "this skill was used.",
     "Read what is added, and decide whether it should apply everywhere."},
    {code::kInstructionOverride, Severity::kHigh,
     "a text that tells the reader to drop its instructions",
     "This is the usual form of prompt injection: it competes with the user's own instructions.",
     "Read the paragraph; do not let an agent act on this file unattended."},
    {code::kConcealment, Severity::kMedium, "a text that asks to keep something from the user",
     "A user who is not told cannot stop what goes wrong.",
     "Read the paragraph and find out what is to be kept secret."},
    {code::kApprovalOff, Severity::kMedium, "approval or a sandbox is switched off",
     "Without approval or sandbox an agent runs whatever a text talks it into.",
     "Run it with approval on, or in a container without credentials."},
    {code::kRawAddress, Severity::kMedium, "a URL with a number instead of a name",
     "An address without a name has no owner that can be checked and often no valid certificate.",
     "Find out whose machine it is."},
    {code::kPasteHost, Severity::kMedium, "an address of a paste or file-drop service",
     "Anyone can put content there or collect it anonymously, and it can change at any time.",
     "Ask for the content in the repository itself."},
    {code::kWebhookHost, Severity::kMedium, "an address that collects what is sent to it",
     "Webhook and tunnel addresses are a common destination for stolen data.",
     "Check whose address it is and what is sent there."},
    {code::kNewCommand, Severity::kLow, "a command that the installed version does not have",
     "An update can add commands to a skill that was examined before.",
     "Read the new commands before the skill is used again."},
    {code::kScanIncomplete, Severity::kMedium, "not all of the file was examined",
     "What was not examined may contain anything.", "Look at the rest of the file by hand."},
});

}  // namespace iii::risks
