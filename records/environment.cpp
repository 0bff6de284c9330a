#include "core/environment.h"

#include <fmt/format.h>

#include "records/environment.h"

namespace reprise::records {

Environment describe_environment(const std::filesystem::path& tree, std::string torch,
                                 std::string gpu, std::string arithmetic, int threads) {
  const SourceState source = source_state(tree);
  Environment environment{.commit = source.commit,
                          .dirty = source.dirty,
                          .compiler = compiler(),
                          .torch = std::move(torch),
                          .cpu = cpu_model(),
                          .gpu = std::move(gpu),
                          .machine = "",
                          .arithmetic = std::move(arithmetic),
                          .threads = threads};
  environment.machine = fmt::format("{} x {}, {:.0f} GiB", cores(), environment.cpu,
                                    static_cast<double>(memory_bytes()) / 0x1p30);
  if (!environment.gpu.empty()) environment.machine += ", " + environment.gpu;
  return environment;
}

}  // namespace reprise::records
