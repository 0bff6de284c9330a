#include "training/data_parallel.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "core/error.h"
#include "core/random.h"
#include "core/text.h"

namespace reprise::training::data_parallel {
namespace {

constexpr auto meeting_timeout = std::chrono::minutes(5);  // all ranks must start within it
// Default of c10d. The other ranks wait this long while rank 0 validates.
constexpr auto collective_timeout = std::chrono::minutes(30);
// The other ranks wait this long for the next cell of rank 0.
constexpr auto text_timeout = std::chrono::hours(24 * 30);

std::string read_variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::int64_t read_number(const char* name, std::int64_t least, std::int64_t most) {
  const auto text = read_variable(name);
  const auto number = whole_number(text);
  if (number && *number >= least && *number <= most) return *number;
  throw UsageError(
      fmt::format("{} is \"{}\", expected {} to {}", name, text, least, most),
      "start every rank with torchrun, or by the tasks of `reprise plan --for slurm --processes N`: "
      "they set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT; one process needs none");
}

struct Group {
  Group() {
    // Writing to a rank that has ended is then an error of Gloo, and does not kill this process.
    ::signal(SIGPIPE, SIG_IGN);
    const auto host = read_variable("MASTER_ADDR");
    if (host.empty())
      throw UsageError("WORLD_SIZE is set, and MASTER_ADDR is not",
                       "name rank 0's machine: MASTER_ADDR=node1");
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(read_number("MASTER_PORT", 1, 65535));
    // Rank 0 keeps the store, through which the ranks find each other.
    options.isServer = is_main();
    options.waitWorkers = false;
    options.timeout = meeting_timeout;
    options.useLibUV = false;
    try {
      store = c10::make_intrusive<c10d::TCPStore>(host, options);
      // Two trainings may have the same address: ranks of the second must not join the first.
      TORCH_CHECK(store->add(fmt::format("here.{}", rank()), 1) == 1, "there is a rank ", rank(),
                  " already, of another training");
      auto gloo_options = c10d::ProcessGroupGloo::Options::create(collective_timeout);
      const bool loopback = host == "127.0.0.1" || host == "localhost";
      // A local group uses the loopback interface, which exists without a network.
      gloo_options->devices.push_back(
          loopback ? c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                   : c10d::ProcessGroupGloo::createDefaultDevice());
      gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(store, static_cast<int>(rank()),
                                                         static_cast<int>(size()), gloo_options);
    } catch (const std::exception& error) {
      throw Error(
          fmt::format("rank {} of {} cannot connect to the others at {}:{}: {}", rank(), size(),
                      host, options.port, first_line(error)),
          "check that every rank runs, and that MASTER_ADDR and MASTER_PORT name the machine of "
          "rank 0 and a free port of it");
    }
  }

  c10d::Backend& backend(const at::Device& device) const {
    if (!device.is_cuda()) return *gloo;
    // A prefix keeps NCCL's keys apart from those of Gloo in the same store.
    TORCH_CHECK(nccl_backend() != nullptr, "this program was built without NCCL");
    return *nccl_backend()(c10::make_intrusive<c10d::PrefixStore>("nccl", store),
                           static_cast<int>(rank()), static_cast<int>(size()));
  }

  static std::string first_line(const std::exception& error) {
    // A stack trace follows the first line of c10's errors.
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
  }

  c10::intrusive_ptr<c10d::TCPStore> store;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo;
  std::int64_t texts = 0;  ///< number of texts broadcast so far
};

/// Runs `call`, which communicates. The first call connects to the other ranks.
void with_group(const std::function<void(Group&)>& call) {
  static Group group;
  try {
    call(group);
  } catch (const std::exception& error) {
    throw Error(
        fmt::format("rank {} of {} lost the others: {}", rank(), size(), Group::first_line(error)),
        "read the output of the other ranks, then start all ranks again: training resumes from its "
        "checkpoint. Each rank needs its own GPU; NCCL_DEBUG=INFO prints details");
  }
}

}  // namespace

std::int64_t size() {
  static const auto known =
      read_variable("WORLD_SIZE").empty() ? 1 : read_number("WORLD_SIZE", 1, 100000);
  return known;
}
std::int64_t rank() {
  static const auto known = size() == 1 ? 0 : read_number("RANK", 0, size() - 1);
  return known;
}
std::int64_t local_rank() {
  static const auto known = size() == 1 || read_variable("LOCAL_RANK").empty()
                                ? 0
                                : read_number("LOCAL_RANK", 0, size() - 1);
  return known;
}
bool is_main() { return rank() == 0; }

at::Tensor slice(const at::Tensor& batch) {
  if (size() == 1 || !batch.defined()) return batch;
  if (batch.size(0) < size())
    throw UsageError(fmt::format("a batch of {} rows for {} ranks", batch.size(0), size()),
                     "start fewer processes, or use larger batches");
  return batch.tensor_split(size())[static_cast<std::size_t>(rank())];
}

at::Tensor weight_by_rows(const at::Tensor& mean, std::int64_t rows) {
  // Slices of one size count alike.
  if (rows % size() == 0) return mean;
  const auto own = rows / size() + (rank() < rows % size() ? 1 : 0);  // as in tensor_split
  return mean * (static_cast<double>(own * size()) / static_cast<double>(rows));
}

std::uint64_t rank_seed(std::uint64_t seed) {
  return is_main()
             ? seed
             : static_cast<std::uint64_t>(Random(seed).split("rank", rank()).below(INT64_MAX));
}

at::Tensor average(const at::Tensor& values) {
  if (size() == 1) return values;
  // The sum replaces the tensor that is sent, so it is a copy.
  std::vector<at::Tensor> sum{values.detach().clone()};
  with_group([&](Group& group) { group.backend(values.device()).allreduce(sum)->wait(); });
  return sum[0].div_(static_cast<double>(size()));
}

void average_gradients(const std::vector<at::Tensor>& parameters) {
  if (size() == 1) return;
  std::vector<at::Tensor> gradients;
  for (const auto& parameter : parameters)
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  // One message for all gradients.
  const auto means =
      at::unflatten_dense_tensors(average(at::flatten_dense_tensors(gradients)), gradients);
  for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i].copy_(means[i]);
}

void broadcast(const std::vector<at::Tensor>& tensors) {
  if (size() == 1) return;
  for (const auto& tensor : tensors) {
    std::vector<at::Tensor> one{tensor.detach()};
    with_group([&](Group& group) { group.backend(tensor.device()).broadcast(one)->wait(); });
  }
}

std::string broadcast(const std::string& text) {
  auto found = text;
  if (size() == 1) return found;
  // Uses the store, because calls of Gloo end with the timeout of collectives.
  with_group([&](Group& group) {
    // Texts are numbered: all ranks broadcast them in one order.
    const auto name = fmt::format("text.{}", group.texts++);
    if (is_main())
      return group.store->set(name, std::vector<std::uint8_t>(text.begin(), text.end()));
    group.store->wait({name}, text_timeout);
    const auto bytes = group.store->get(name);
    found.assign(bytes.begin(), bytes.end());
  });
  return found;
}

// No rank gets the mean before every rank has sent its value.
void barrier() { average(at::zeros({1})); }

NcclBackend& nccl_backend() {
  static NcclBackend known = nullptr;
  return known;
}

}  // namespace reprise::training::data_parallel
