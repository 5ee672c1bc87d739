// Runs a fuzz target without libFuzzer: every file of a corpus, then mutations of them.
//
//   NAME_replay CORPUS RUNS
//
// The mutations come from a generator with a fixed seed, so that every run and every build sees the
// same ones.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr size_t kMaxSize = 128 * 1024;

void run(const std::string& input) {
  // A block of exactly this size, so that the address sanitizer sees the first byte read behind it.
  std::vector<uint8_t> copy(input.begin(), input.end());
  copy.shrink_to_fit();
  LLVMFuzzerTestOneInput(copy.data(), copy.size());
}

std::vector<std::string> load(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path());
  std::ranges::sort(names);
  std::vector<std::string> inputs;
  for (const auto& name : names) {
    std::ifstream file(name, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& corpus) : corpus_(corpus) {}

  std::string next() {
    std::string input = pick();
    for (uint64_t steps = 1 + below(6); steps > 0; --steps) step(input);
    if (input.size() > kMaxSize) input.resize(kMaxSize);
    return input;
  }

 private:
  uint64_t below(uint64_t limit) { return limit == 0 ? 0 : random_() % limit; }
  const std::string& pick() { return corpus_[below(corpus_.size())]; }
  char byte() {
    // Bytes that mean something to the formats under test, or any.
    static constexpr uint8_t kTelling[] = {0,   1,   10,  13,  32,  58,  125,
                                           126, 127, 128, 136, 137, 254, 255};
    const uint8_t any = static_cast<uint8_t>(random_());
    return static_cast<char>(below(2) == 0 ? kTelling[below(std::size(kTelling))] : any);
  }

  void step(std::string& input) {
    const size_t at = below(input.size() + 1);
    switch (below(8)) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < input.size()) input[at] = byte();
        break;
      case 2:
        input.insert(at, 1 + below(4), byte());
        break;
      case 3:
        input.erase(at, 1 + below(8));
        break;
      case 4:
        input.resize(at);
        break;
      case 5: {
        const std::string& other = pick();
        input.insert(at, other.substr(below(other.size() + 1), below(200)));
        break;
      }
      case 6:
        input += pick();
        break;
      case 7:
        input.insert(at, input.substr(below(input.size() + 1), below(100)));
        break;
    }
  }

  const std::vector<std::string>& corpus_;
  std::mt19937_64 random_{20261115};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::vector<std::string> corpus = load(argv[1]);
  if (corpus.empty()) {
    std::fprintf(stderr, "the corpus is empty\n");
    return 1;
  }
  run("");
  for (const std::string& input : corpus) run(input);
  Mutator mutator(corpus);
  const int runs = std::atoi(argv[2]);
  for (int i = 0; i < runs; ++i) run(mutator.next());
  std::printf("%zu inputs and %d mutations\n", corpus.size(), runs);
  return 0;
}
