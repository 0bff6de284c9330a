#include "experiments/run/device.h"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "core/say.h"
#include "experiments/names.h"
#include "models/diffusion/recorded.h"
#include "training/data_parallel.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

fs::path torch_libraries() {
  fs::path folder;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* found) {
        const fs::path path = library->dlpi_name;
        if (path.filename() == "libtorch_cpu.so")
          *static_cast<fs::path*>(found) = path.parent_path();
        return 0;
      },
      &folder);
  return folder;
}

/// Loads CUDA graphs and NCCL from libreprise_cuda.so, if cmake/cuda.cmake could build it. The file
/// lies next to the program or, once installed, next to LibTorch.
void load_own_cuda_half() {
  std::error_code none;
  for (const auto& folder :
       {fs::read_symlink("/proc/self/exe", none).parent_path(), torch_libraries()}) {
    const auto path = folder / "libreprise_cuda.so";
    if (!fs::exists(path)) continue;
    using Record = void (*)(const std::function<void()>&, std::unique_ptr<models::Recording>&);
    auto* library = dlopen(path.c_str(), RTLD_NOW);
    auto* record =
        library != nullptr ? reinterpret_cast<Record>(dlsym(library, "reprise_record")) : nullptr;
    auto& nccl = training::data_parallel::nccl_backend();
    if (record != nullptr)
      nccl = reinterpret_cast<training::data_parallel::NcclBackend>(dlsym(library, "reprise_nccl"));
    if (nccl == nullptr) {
      const char* reason = dlerror();
      say(fmt::format("reprise: no CUDA graphs, no NCCL: {}\n", reason ? reason : path.string()));
      return;
    }
    models::gpu_recorder() = [record](const std::function<void()>& work) {
      std::unique_ptr<models::Recording> made;
      record(work, made);
      return made;
    };
    return;
  }
}

}  // namespace

std::string choose_device(const std::string& requested, std::int64_t local_rank) {
  if (requested == "cpu") return "cpu";
  if (requested != "auto" && requested != "cuda")
    throw unknown("device", requested, {"auto", "cpu", "cuda"});
  const bool must = requested == "cuda";
  const fs::path library = torch_libraries() / "libtorch_cuda.so";
  if (!fs::exists(library)) {
    // "auto" falls back to the CPU; "cuda" requires a GPU.
    if (!must) return "cpu";
    throw UsageError(
        "--device cuda: this LibTorch has no libtorch_cuda.so (looked in " +
            library.parent_path().string() + ")",
        "use --device cpu, or point Torch_DIR at a LibTorch with CUDA and build again");
  }
  // Global, because LibTorch registers its CUDA back end when the library is loaded.
  if (dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    const char* reason = dlerror();
    if (!must) return "cpu";
    throw UsageError(
        "--device cuda: " + std::string(reason ? reason : "libtorch_cuda.so cannot be loaded"),
        "install the CUDA libraries this LibTorch was built with, or use --device cpu");
  }
  if (at::hasCUDA() && at::detail::getCUDAHooks().deviceCount() > 0) {
    load_own_cuda_half();
    const auto own = local_rank % at::detail::getCUDAHooks().deviceCount();
    if (own > 0)
      c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA)
          .setDevice({c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(own)});
    return "cuda";
  }
  if (!must) return "cpu";
  throw UsageError("--device cuda: no GPU answers",
                   "check nvidia-smi and CUDA_VISIBLE_DEVICES, or use --device cpu");
}

std::string gpu_model(const std::string& device) {
  if (device != "cuda") return "";
  std::error_code none;
  // The driver's files name the GPU without CUDA being loaded.
  for (const auto& gpu : fs::directory_iterator("/proc/driver/nvidia/gpus", none)) {
    std::ifstream lines(gpu.path() / "information");
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("Model:")) return line.substr(line.find_first_not_of(" \t", 6));
  }
  return "CUDA GPU";
}

}  // namespace reprise::reproduce
