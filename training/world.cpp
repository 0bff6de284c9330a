#include "training/world.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "core/environment.h"
#include "core/text.h"
#include "training/nccl.h"

namespace reprise::training {
namespace {

constexpr auto for_the_others = std::chrono::minutes(5), for_one_call = std::chrono::minutes(10);
constexpr auto heartbeat = std::chrono::milliseconds(500), longer_than_a_heartbeat = std::chrono::milliseconds(2500);
constexpr int beats_to_a_look = 20;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::int64_t number_of(const char* name, std::int64_t least, std::int64_t most) {
  const auto text = variable(name);
  const auto number = whole_number(text);
  if (!number || *number < least || *number > most)
    throw UsageError(
        fmt::format("{} is \"{}\", expected {} to {}", name, text, least, most),
        "start every process by torchrun or srun, which set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT; one alone needs none");
  return *number;
}

std::string this_process() { return fmt::format("{}, process {}", host_name(), ::getpid()); }

std::vector<std::uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

/// The reducer is told to look for parameters that a loss does not reach, and warns where it finds none.
class Unwarned : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override {
    if (warning.msg().find("find_unused_parameters") == std::string::npos) before_->process(warning);
  }

 private:
  c10::WarningHandler* before_ = c10::WarningUtils::get_warning_handler();
};

class Alone : public World {
 public:
  Alone() : World(0, 1) {}
  void sum(at::Tensor&) override {}
  void copy_from_first(std::vector<at::Tensor>) override {}
  std::string text_from_first(const std::string& text) override { return text; }
};

class Together : public World {
 public:
  Together(std::int64_t rank, std::int64_t size, std::string host, std::uint16_t port) : World(rank, size), host_(std::move(host)) {
    ::signal(SIGPIPE, SIG_IGN);  // what Gloo writes to a rank that is gone is an error that names it, and not this rank's silent end
    try {
      store_ = connect(port, rank == 0);
      beats_ = connect(port, false);
      store_->set(key("who", rank), bytes_of(this_process()));
      for (std::int64_t other = 0; other < size; ++other) {
        const auto who = store_->get(key("who", other));
        who_.emplace_back(who.begin(), who.end());
      }
      beating_ = std::jthread([this](const std::stop_token& stop) { beat(stop); });
      group_ = c10::make_intrusive<c10d::ProcessGroup>(store_, static_cast<int>(rank), static_cast<int>(size));
      auto options = c10d::ProcessGroupGloo::Options::create(for_one_call);
      const bool loopback = host_ == "127.0.0.1" || host_ == "localhost";
      options->devices.push_back(loopback ? c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                                          : c10d::ProcessGroupGloo::createDefaultDevice());
      gloo_ = c10::make_intrusive<c10d::ProcessGroupGloo>(c10::make_intrusive<c10d::PrefixStore>("gloo", store_), static_cast<int>(rank),
                                                          static_cast<int>(size), options);
      group_->setBackend(at::kCPU, c10d::ProcessGroup::GLOO, gloo_);
      group_->setDefaultBackend(c10d::ProcessGroup::GLOO);
    } catch (const std::exception& error) {
      throw Error(fmt::format("rank {} of {} does not meet the others at {}:{}: {}", rank, size, host_, port, first_line(error)),
                  "see that every rank runs, and that MASTER_ADDR and MASTER_PORT name rank 0's machine and a free port of it");
    }
  }

  ~Together() override {
    beating_.request_stop();
    beating_.join();
  }

  void sum(at::Tensor& values) override {
    watched([&] {
      ready_for(values.device());
      std::vector<at::Tensor> tensors{values};
      group_->allreduce(tensors)->wait();
    });
  }
  void copy_from_first(std::vector<at::Tensor> tensors) override {
    watched([&] {
      for (auto& tensor : tensors) {
        ready_for(tensor.device());
        std::vector<at::Tensor> one{tensor.detach()};
        group_->broadcast(one)->wait();
      }
    });
  }
  std::string text_from_first(const std::string& text) override {
    std::string found = text;
    watched([&] {
      const auto name = fmt::format("text.{}", texts_++);
      if (leads()) return store_->set(name, bytes_of(text));
      store_->wait({name}, std::chrono::hours(24 * 30));
      const auto bytes = store_->get(name);
      found.assign(bytes.begin(), bytes.end());
    });
    return found;
  }

  const c10::intrusive_ptr<c10d::ProcessGroup>& group() const { return group_; }

  /// Before the first sum of tensors on GPUs: by NCCL where every rank has a GPU of its own, else by way of the CPU's memory.
  void ready_for(const at::Device& device) {
    if (!device.is_cuda() || gpus_met_) return;
    gpus_met_ = true;
    store_->set(key("gpu", rank()), bytes_of(nccl().gpu ? nccl().gpu() : ""));
    std::set<std::string> gpus;
    for (std::int64_t other = 0; other < size(); ++other) {
      const auto gpu = store_->get(key("gpu", other));
      gpus.emplace(gpu.begin(), gpu.end());
    }
    if (gpus.contains("") || static_cast<std::int64_t>(gpus.size()) < size()) {
      group_->setBackend(at::kCUDA, c10d::ProcessGroup::GLOO, gloo_);
      return;
    }
    try {
      meet_by_nccl(device);
    } catch (const std::exception& error) {
      throw Error(fmt::format("rank {} of {}: the GPUs do not find each other by NCCL: {}", rank(), size(), first_line(error)),
                  "run with NCCL_DEBUG=INFO, which says why; NCCL_SOCKET_IFNAME names the network to use");
    }
  }

  /// Runs what speaks with the others; what fails because one has ended says which.
  template <class Work>
  void watched(Work work) {
    try {
      work();
    } catch (const std::exception& error) {
      const auto gone = the_gone();
      if (gone.empty()) throw;
      throw WorldEnded(fmt::format("of the {} processes that train together {} ended ({})", size(), gone, first_line(error)),
                       "see why it did in its own output, then run again: what was stored is gone on with");
    }
  }

 private:
  static std::string key(const char* what, std::int64_t rank) { return fmt::format("{}.{}", what, rank); }
  static std::string first_line(const std::exception& error) {
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
  }

  c10::intrusive_ptr<c10d::TCPStore> connect(std::uint16_t port, bool serves) const {
    c10d::TCPStoreOptions options;
    options.port = port;
    options.isServer = serves;
    options.waitWorkers = false;
    options.timeout = for_the_others;
    options.useLibUV = false;
    return c10::make_intrusive<c10d::TCPStore>(host_, options);
  }

  void meet_by_nccl(const at::Device& device) {
    const auto store = c10::make_intrusive<c10d::PrefixStore>("nccl", store_);
    const auto backend = nccl().group(store, static_cast<int>(rank()), static_cast<int>(size()), for_one_call);
    group_->setBackend(at::kCUDA, c10d::ProcessGroup::NCCL, backend);
    {
      const std::scoped_lock lock(nccl_mutex_);
      nccl_ = backend;
    }
    // Made after LibTorch's CUDA half was loaded, so gone before it: NCCL's threads must not outlive that.
    static const Leaving leaving{this};
    std::vector<at::Tensor> one{at::ones({1}, device)};
    group_->allreduce(one)->wait();
    TORCH_CHECK(one[0].item<double>() == static_cast<double>(size()), "a sum of ", size(), " ones gave ", one[0].item<double>());
  }
  /// Work between GPUs is dropped: what waits for it goes on, and what asks for more fails.
  void leave_gpus() {
    const std::scoped_lock lock(nccl_mutex_);
    if (nccl_) nccl_->abort();
    nccl_ = {};
  }
  struct Leaving {
    Together* world;
    ~Leaving() { world->leave_gpus(); }
  };

  /// A sum between GPUs waits for a dead one without end, and nothing that waits for the GPU sees why: so this looks at the hearts, too.
  void beat(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any asked;
    std::unique_lock lock(mutex);
    try {
      std::vector<std::int64_t> before;
      for (int n = 0; !stop.stop_requested(); ++n) {
        beats_->add(key("beat", rank()), 1);
        asked.wait_for(lock, stop, heartbeat, [] { return false; });
        if (!uses_nccl() || n % beats_to_a_look != 0) continue;
        auto now = beats(*beats_);
        for (std::size_t other = 0; other < before.size(); ++other)
          if (before[other] == now[other]) leave_gpus();
        before = std::move(now);
      }
    } catch (const std::exception&) {
      leave_gpus();  // rank 0 is gone: what asks next finds that out
    }
  }
  bool uses_nccl() {
    const std::scoped_lock lock(nccl_mutex_);
    return nccl_.defined();
  }

  std::vector<std::int64_t> beats(c10d::TCPStore& store) const {
    std::vector<std::int64_t> counts;
    for (std::int64_t other = 0; other < size(); ++other) counts.push_back(store.add(key("beat", other), 0));
    return counts;
  }

  /// "rank 2 (node7, process 4711)"; "" when all hearts beat.
  std::string the_gone() {
    std::vector<std::string> gone;
    try {
      const auto before = beats(*store_);
      std::this_thread::sleep_for(longer_than_a_heartbeat);
      const auto after = beats(*store_);
      for (std::int64_t other = 0; other < size(); ++other)
        if (other != rank() && before[static_cast<std::size_t>(other)] == after[static_cast<std::size_t>(other)])
          gone.push_back(named(other));
    } catch (const std::exception&) {
      gone = {named(0)};
    }
    return join(gone, ", ");
  }
  std::string named(std::int64_t rank) const { return fmt::format("rank {} ({})", rank, who_.at(static_cast<std::size_t>(rank))); }

  const std::string host_;
  c10::intrusive_ptr<c10d::TCPStore> store_, beats_;
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo_;
  bool gpus_met_ = false;
  std::mutex nccl_mutex_;
  c10::intrusive_ptr<c10d::Backend> nccl_;  ///< none: between CPUs, or by way of their memory
  std::vector<std::string> who_;
  std::int64_t texts_ = 0;
  std::jthread beating_;
};

}  // namespace

Place place_of_this_process() {
  constexpr std::int64_t most_ranks = 100000;
  Place place;
  if (variable("WORLD_SIZE").empty()) return place;
  place.size = number_of("WORLD_SIZE", 1, most_ranks);
  if (place.size > 1) place.rank = number_of("RANK", 0, place.size - 1);
  if (!variable("LOCAL_RANK").empty()) place.local_rank = number_of("LOCAL_RANK", 0, place.size - 1);
  return place;
}

Nccl& nccl() {
  static Nccl known;
  return known;
}

World& World::of_this_process() {
  static const std::unique_ptr<World> world = []() -> std::unique_ptr<World> {
    constexpr std::int64_t most_ports = 65535;
    const auto [rank, size, local_rank] = place_of_this_process();
    if (size == 1) return std::make_unique<Alone>();
    const auto port = number_of("MASTER_PORT", 1, most_ports);
    const auto host = variable("MASTER_ADDR");
    if (host.empty()) throw UsageError("WORLD_SIZE is set, and MASTER_ADDR is not", "name rank 0's machine: MASTER_ADDR=node1");
    return std::make_unique<Together>(rank, size, host, static_cast<std::uint16_t>(port));
  }();
  return *world;
}

World::Part World::part(std::int64_t rows) const {
  const auto each = rows / size_, more = rows % size_;
  return {rank_ * each + std::min(rank_, more), each + (rank_ < more ? 1 : 0)};
}

at::Tensor World::part(const at::Tensor& batch) const {
  if (alone()) return batch;
  const auto [first, count] = part(batch.size(0));
  return batch.narrow(0, first, count);
}

struct GradientSum::Reducing {
  explicit Reducing(Together& world, const std::vector<at::Tensor>& parameters) : world(world) {
    world.watched([&] { world.ready_for(parameters.at(0).device()); });
    constexpr std::size_t first_bucket = std::size_t{1} << 20, bucket = std::size_t{25} << 20;
    auto [buckets, limits] = c10d::compute_bucket_assignment_by_size(parameters, {first_bucket, bucket});
    std::reverse(buckets.begin(), buckets.end());  // gradients of the last layers are there first
    reducer = std::make_unique<c10d::Reducer>(parameters, buckets, world.group(), std::vector<bool>(parameters.size(), false),
                                              static_cast<std::int64_t>(bucket), /*find_unused_parameters=*/true,
                                              /*gradient_as_bucket_view=*/false, std::unordered_map<std::size_t, std::string>{},
                                              static_cast<std::int64_t>(first_bucket), /*skip_all_reduce_unused_params=*/false,
                                              /*use_python_reducer=*/false, std::vector<std::int64_t>{});
  }
  Together& world;
  std::unique_ptr<c10d::Reducer> reducer;
};

GradientSum::GradientSum(World& world, const std::vector<at::Tensor>& parameters) {
  if (!world.alone()) reducing_ = std::make_unique<Reducing>(dynamic_cast<Together&>(world), parameters);
}

GradientSum::~GradientSum() = default;

void GradientSum::backward(const at::Tensor& loss) {
  if (!reducing_) return loss.backward();
  reducing_->world.watched([&] {
    Unwarned handler;
    const c10::WarningUtils::WarningHandlerGuard guard(&handler);
    reducing_->reducer->prepare_for_forward();
    reducing_->reducer->prepare_for_backward({loss});
    // the reducer makes means of sums
    (loss * static_cast<double>(reducing_->world.size())).backward();
  });
}

}  // namespace reprise::training
