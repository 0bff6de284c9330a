// A batch whose rows several processes share out (training/world.h), as layers see it that look across rows, or draw numbers for them.
//
// Inside a SharedBatch each process is given its own rows of a batch of N, and
//     batch norm    takes the mean and variance of all N rows: sums travel, forward and back, and in second derivatives
//     noise, masks  are drawn for all N rows by every process, from generators in one state, of which it keeps its own
// so that what comes out is what one process makes of the whole batch, but for the order of sums (on a GPU, where numbers are drawn by kernels,
// masks of dropout are others). Outside of one, and in one process, all of it is torch's own.
#pragma once
#include <ATen/core/Tensor.h>
#include <torch/nn/modules/batchnorm.h>

namespace reprise::training {

class World;

/// While it lives, tensors that layers of this process are given are its rows of batches of `rows`. There is one at a time.
class SharedBatch {
 public:
  SharedBatch(World& world, std::int64_t rows);
  ~SharedBatch();
  SharedBatch(const SharedBatch&) = delete;
  SharedBatch& operator=(const SharedBatch&) = delete;
};

/// Where the rows of a tensor that has several to an item of the batch lie.
enum class Rows {
  OfItems,  ///< those of an item one after another, as frames of clips do
  Stacked,  ///< the batch, and the batch again, as pictures of two domains do
};

/// N k where x has n k rows.
std::int64_t rows_of_all(const at::Tensor& x);
/// This process's rows of what is of the whole batch: [N k, ...] to [n k, ...]; undefined stays so.
at::Tensor own_rows(const at::Tensor& of_all, Rows rows = Rows::OfItems);
/// What at::randn_like() gives, by torch's default generator, drawn in the order of x's memory: a tensor whose channels come last is
/// otherwise drawn value by value, nine times as slowly.
at::Tensor normals_like(const at::Tensor& x, Rows rows = Rows::OfItems);
/// at::dropout().
at::Tensor dropout(const at::Tensor& x, double rate, bool training, Rows rows = Rows::OfItems);
/// at::batch_norm() with the batch's statistics: x [n, C, ...]; weight and bias may be undefined, running statistics follow.
at::Tensor batch_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& running_mean,
                      const at::Tensor& running_var, double momentum, double epsilon);
/// The sum over all processes of as many values in each. Differentiable, any number of times: every process calls backward.
at::Tensor sum_over_processes(const at::Tensor& values);

/// torch's batch norm of 1, 2 or 3 dimensions, with the statistics of the whole batch.
template <class Norm>
class OfWholeBatch : public Norm {
 public:
  using Norm::Norm;
  at::Tensor forward(const at::Tensor& x) {
    if (!this->is_training()) return Norm::forward(x);
    this->num_batches_tracked.add_(1);
    return batch_norm(x, this->weight, this->bias, this->running_mean, this->running_var, *this->options.momentum(), this->options.eps());
  }
};

}  // namespace reprise::training
