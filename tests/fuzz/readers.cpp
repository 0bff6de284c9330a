// Every reader of files from strangers, under libFuzzer with the address and undefined-behaviour sanitizers: scripts/fuzz.
//
//     fuzz_readers --reader=npy CORPUS [libFuzzer's options]
//
// A reader may give a value or throw our Error whose text names the file. Anything else is a finding: another exception, a crash, a hang,
// more memory than -rss_limit_mb.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/csv.h"
#include "core/error.h"
#include "datasets/formats/idx.h"
#include "datasets/formats/image_header.h"
#include "datasets/formats/mat.h"
#include "datasets/formats/npy.h"
#include "datasets/formats/wav.h"
#include "datasets/readers/pts.h"
#include "datasets/readers/usps.h"
#include "experiments/settings.h"
#include "records/claims/registry.h"
#include "records/packed.h"
#include "records/regression/reference.h"
#include "records/store.h"
#include "weights/safetensors.h"
#include "weights/state_dict.h"

namespace {

namespace fs = std::filesystem;
using namespace reprise;

/// A folder of this process, below TMPDIR.
const fs::path& folder() {
  static const fs::path path = [] {
    auto made = fs::temp_directory_path() / ("reprise-fuzz-" + std::to_string(::getpid()));
    fs::create_directories(made);
    return made;
  }();
  return path;
}

/// The input as a file of this name; "file" is part of it, which messages must name.
fs::path as_file(std::string_view bytes, const std::string& name) {
  auto path = folder() / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

using Reader = std::function<void(std::string_view bytes)>;

const std::map<std::string, Reader>& readers() {
  static const std::map<std::string, Reader> all{
      {"safetensors", [](auto bytes) { weights::parse_safetensors(bytes, "file"); }},
      {"pytorch", [](auto bytes) { weights::read_weights(as_file(bytes, "file.pth")); }},
      {"npy", [](auto bytes) { datasets::parse_npy(bytes, "file"); }},
      {"idx", [](auto bytes) { datasets::read_idx(as_file(bytes, "file.idx")); }},
      {"mat", [](auto bytes) { datasets::parse_mat(bytes, "file"); }},
      {"usps", [](auto bytes) { datasets::parse_usps(bytes, "file"); }},
      {"wav", [](auto bytes) { datasets::parse_wav(bytes, "file"); }},
      {"pts", [](auto bytes) { datasets::parse_pts(bytes, "file"); }},
      {"csv", [](auto bytes) { parse_csv(bytes, "file"); }},
      {"image_header", [](auto bytes) { datasets::picture_size(bytes, "file"); }},
      {"record",
       [](auto bytes) {
         records::Store(as_file(bytes, "file/cells/t/d/m/seed0/record.json"),
                        records::Damage::Refuse)
             .all();
       }},
      {"reference", [](auto bytes) { records::read_reference(as_file(bytes, "file.json")); }},
      {"registry",
       [](auto bytes) {
         records::read_registry(as_file(bytes, "file/preregistered.json").parent_path());
       }},
      {"lines",
       [](auto bytes) {
         records::read_packed_records(as_file(bytes, "file.jsonl.gz"));
         records::read_packed_curves(as_file(bytes, "file.curves.jsonl.gz"));
       }},
      {"settings", [](auto bytes) { reproduce::Settings(bytes, "file"); }},
  };
  return all;
}

const Reader* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  const std::string_view flag = "--reader=";
  for (int i = 1; i < *count; ++i)
    if (std::string_view((*words)[i]).starts_with(flag)) {
      const auto found = readers().find((*words)[i] + flag.size());
      if (found != readers().end()) chosen = &found->second;
    }
  if (!chosen) {
    std::fputs("fuzz_readers --reader=NAME; readers:", stderr);
    for (const auto& [name, reader] : readers()) std::fprintf(stderr, " %s", name.c_str());
    std::fputs("\n", stderr);
    std::exit(2);
  }
  folder();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    (*chosen)({reinterpret_cast<const char*>(data), size});
  } catch (const Error& error) {
    if (error.problem().find("file") == std::string::npos) {
      std::fprintf(stderr, "an error that does not name its file: %s\n", error.what());
      std::abort();
    }
  }
  return 0;
}
