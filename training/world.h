// Processes that train one network together: each has the same weights and computes the gradient of its part of every batch.
//
// Who they are, they learn as torchrun and srun say it: RANK of WORLD_SIZE, LOCAL_RANK on its machine, and MASTER_ADDR and MASTER_PORT, where
// rank 0 answers. They speak by Gloo (c10d, in LibTorch), and of tensors on GPUs by NCCL where each rank has a GPU of its own (training/nccl.h);
// where ranks share one, by Gloo too. Every rank makes the same calls in the same order.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>

#include <memory>
#include <string>
#include <vector>

#include "core/error.h"

namespace reprise::training {

/// A process of the world has ended, or cannot be heard any more.
class WorldEnded : public Error {
 public:
  using Error::Error;
};

/// Which process this is, without meeting the others. UsageError: as of_this_process().
struct Place {
  std::int64_t rank = 0, size = 1;
  std::int64_t local_rank = 0;  ///< on its machine: which GPU is its own
  bool leads() const { return rank == 0; }
};
Place place_of_this_process();

class World {
 public:
  /// That of this process, met on first use; of one process where WORLD_SIZE is not set, or 1. UsageError: RANK, MASTER_ADDR or MASTER_PORT is
  /// missing or no number, RANK is not below WORLD_SIZE. Error: the others do not come (which address, for how long it waited).
  static World& of_this_process();

  virtual ~World() = default;
  std::int64_t rank() const { return rank_; }
  std::int64_t size() const { return size_; }
  bool alone() const { return size_ == 1; }
  bool leads() const { return rank_ == 0; }

  struct Part {
    std::int64_t first, count;
  };
  /// Which of `rows` rows are this rank's: as even as can be, the first ranks have one more.
  Part part(std::int64_t rows) const;
  /// These of a batch. [N, ...] to [n, ...].
  at::Tensor part(const at::Tensor& batch) const;

  /// Each WorldEnded: names the ranks that are gone.
  virtual void sum(at::Tensor& values) = 0;                           ///< of all ranks, in place
  virtual void copy_from_first(std::vector<at::Tensor> tensors) = 0;  ///< rank 0's values, in place
  /// Waits for all: rank 0, of whom the others ask, does not leave before they are done.
  void meet() {
    auto nothing = at::zeros({1});
    sum(nothing);
  }
  /// What `text` is in rank 0. The others wait for it.
  virtual std::string text_from_first(const std::string& text) = 0;

 protected:
  World(std::int64_t rank, std::int64_t size) : rank_(rank), size_(size) {}

 private:
  std::int64_t rank_, size_;
};

/// A backward pass that ends with the sum over all ranks in the gradients of these parameters; they travel in buckets while it goes on.
class GradientSum {
 public:
  /// `world` must outlive it. Parameters that a loss does not reach get no gradient, or the sum of those of other ranks.
  GradientSum(World& world, const std::vector<at::Tensor>& parameters);
  ~GradientSum();
  /// loss.backward(), at whose end the gradients are sums. WorldEnded: names the ranks that are gone.
  void backward(const at::Tensor& loss);

 private:
  struct Reducing;
  std::unique_ptr<Reducing> reducing_;
};

}  // namespace reprise::training
