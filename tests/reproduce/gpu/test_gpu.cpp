// What only a GPU can show, by way of the CUDA half as a run loads it. Skipped where no GPU answers; tests/gpu/walk runs whole studies there.
#include <torch/torch.h>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "experiments/run/device.h"
#include "models/diffusion/recorded.h"
#include "tests/models/small_prior.h"
#include "tests/support.h"
#include "training/data_parallel.h"

namespace reprise::reproduce {
namespace {

struct Gpu : testing::Test {
  void SetUp() override {
    if (choose_device("auto") != "cuda") GTEST_SKIP() << "no GPU answers";
  }
};

TEST_F(Gpu, AGraphAnswersAsTheNetworkDoes) {
  ASSERT_TRUE(models::gpu_recorder()) << "libreprise_cuda.so is not beside this program";
  const auto prior = models::small_prior();
  models::prepare_for_inference(*prior.D, at::kCUDA);
  models::RecordedDenoiser recorded(prior.D, models::gpu_recorder());
  const torch::NoGradGuard no_grad;
  for (const double sigma : {0.5, 1.0, 2.0}) {
    const auto x = torch::randn({3, 1, 8, 8}).cuda(), labels = torch::tensor({-1, 0, 1}).cuda();
    const auto expected = (*prior.D)(x, sigma, labels);
    EXPECT_LT((recorded(x, sigma, labels) - expected).abs().max().item<double>(),
              1e-4 * expected.abs().max().item<double>())
        << sigma;
  }
}

TEST_F(Gpu, SumsByNcclInAGroupOfOne) {
  const auto nccl = training::data_parallel::nccl_backend();
  ASSERT_TRUE(nccl) << "libreprise_cuda.so is not beside this program";
  auto* group = nccl(c10::make_intrusive<c10d::HashStore>(), 0, 1);
  std::vector<at::Tensor> values{
      torch::arange(1 << 20, at::TensorOptions(at::kCUDA).dtype(at::kFloat))};
  const auto before = values[0].clone();
  group->allreduce(values)->wait();
  EXPECT_TRUE(values[0].equal(before));
}

}  // namespace
}  // namespace reprise::reproduce
