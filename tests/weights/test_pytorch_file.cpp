#include "tests/support.h"
#include "weights/pytorch_file.h"
#include "weights/state_dict.h"

namespace reprise::weights {
namespace {

using testing::HasSubstr;

at::Tensor golden_tensor(const nlohmann::json& json) {
  static const std::map<std::string, at::ScalarType> types{
      {"float64", at::kDouble},    {"float32", at::kFloat}, {"float16", at::kHalf},
      {"bfloat16", at::kBFloat16}, {"int64", at::kLong},    {"uint8", at::kByte},
      {"bool", at::kBool}};
  const auto shape = json.at("shape").get<std::vector<std::int64_t>>();
  return at::tensor(json.at("values").get<std::vector<double>>(), at::kDouble)
      .reshape(shape)
      .to(types.at(json.at("dtype")));
}

void expect_golden(const StateDict& state, const nlohmann::json& expected) {
  EXPECT_EQ(state.size(), expected.size());
  for (const auto& [name, tensor] : state) {
    ASSERT_TRUE(expected.contains(name)) << name;
    const auto golden = golden_tensor(expected[name]);
    EXPECT_EQ(tensor.scalar_type(), golden.scalar_type()) << name;
    EXPECT_EQ(tensor.sizes(), golden.sizes()) << name;
    EXPECT_TRUE(at::equal(tensor, golden)) << name;
  }
}

const nlohmann::json& values() {
  static const auto json = fixture_json("weights/values.json");
  return json;
}

StateDict read(const std::string& name) { return read_weights(fixture("weights/" + name)); }
auto reading(const std::string& name) {
  return [name] { read(name); };
}

TEST(PyTorchFile, ReadsAPlainStateDictionaryInBothLayouts) {
  for (const auto* name : {"plain_zip.pth", "plain_stream.pth"}) {
    SCOPED_TRACE(name);
    expect_golden(read(name), values()["plain"]);
  }
}

TEST(PyTorchFile, KeepsTheOrderOfTheStateDictionary) {
  const auto state = read("plain_zip.pth");
  EXPECT_EQ(state.front().first, "features.0.weight");
  EXPECT_EQ(state[6].first, "features.1.num_batches_tracked");
  EXPECT_EQ(state.back().first, "classifier.bias");
}

TEST(PyTorchFile, ReadsViewsStridesTypesScalarsAndEmptyTensorsInBothLayouts) {
  for (const auto* name : {"odd_zip.pth", "odd_stream.pth"}) {
    SCOPED_TRACE(name);
    expect_golden(read(name), values()["odd"]);
  }
}

TEST(PyTorchFile, TensorsThatSharedMemoryStillDo) {
  for (const auto* name : {"odd_zip.pth", "odd_stream.pth"}) {
    std::map<std::string, at::Tensor> state;
    for (const auto& [key, tensor] : read(name)) state[key] = tensor;
    EXPECT_EQ(state["shared_a"].data_ptr(), state["shared_b"].data_ptr());
    EXPECT_EQ(state["view"].storage().data(), state["shared_a"].storage().data());
  }
}

TEST(PyTorchFile, ReadsTheSafetensorsFileOfTheSameTensors) {
  auto all = values()["plain"];
  all.update(values()["odd"]);
  expect_golden(read("all.safetensors"), all);
}

TEST(PyTorchFile, FindsTheDictionaryThatATrainingScriptPutUnderAKey) {
  expect_golden(read("nested_zip.pth"), values()["plain"]);
}

TEST(PyTorchFile, TakesTheDataParallelPrefixOff) {
  expect_golden(read("data_parallel_zip.pth"), values()["plain"]);
}

TEST(PyTorchFile, AFileThatNamesAnotherGlobalIsRefusedByNameAndNothingIsRun) {
  for (const auto* name : {"hostile_zip.pth", "hostile_stream.pth"}) {
    EXPECT_THAT(reading(name), ThrowsUsageError(HasSubstr(name), HasSubstr("posix.system"),
                                                HasSubstr("nothing was run")));
    EXPECT_FALSE(std::filesystem::exists("hostile_file_was_run"));
  }
}

TEST(PyTorchFile, ATensorAloneIsNoStateDictionary) {
  EXPECT_THAT(reading("not_a_dictionary_zip.pth"),
              ThrowsUsageError(HasSubstr("contains a tensor, expected a dictionary of tensors")));
}

TEST(PyTorchFile, AFileThatIsNoneOfTheKindsSaysSo) {
  const TemporaryFolder folder;
  write_file(folder.path() / "page.pth", "<html>404 not found</html>");
  write_file(folder.path() / "empty.pth", "");
  EXPECT_THAT([&] { read_weights(folder.path() / "page.pth"); },
              ThrowsUsageError(HasSubstr("page.pth"), HasSubstr("not a file of weights")));
  EXPECT_THAT([&] { read_weights(folder.path() / "empty.pth"); },
              ThrowsUsageError(HasSubstr("the file is empty")));
  EXPECT_THAT([&] { read_weights(folder.path() / "none.pth"); },
              ThrowsUsageError(HasSubstr("none.pth"), HasSubstr("No such file")));
  EXPECT_THAT([&] { read_weights(folder.path()); },
              ThrowsUsageError(HasSubstr("not a regular file")));
}

}  // namespace
}  // namespace reprise::weights
