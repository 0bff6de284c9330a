// Pickles written by hand, opcode by opcode: the forms that old PyTorch wrote, and those that only
// an attacker writes.
#include <cstring>

#include "tests/support.h"
#include "tests/weights/pickles.h"
#include "weights/pytorch_file.h"

namespace reprise::weights {
namespace {

using testing::HasSubstr;

/// A whole file of the stream layout that holds `object`, and one storage "k" of these floats.
std::string stream(const std::string& object,
                   const std::vector<float>& values = {0, 1, 2, 3, 4, 5}) {
  const std::string magic("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  const std::uint64_t count = values.size();
  std::string raw(8 + 4 * count, '\0');
  std::memcpy(raw.data(), &count, 8);
  if (count > 0) std::memcpy(raw.data() + 8, values.data(), 4 * count);
  return magic + protocol + "M\xe9\x03." + protocol + "}." + protocol + object + "." + protocol +
         "](" + text("k") + "e." + raw;
}
/// A file of the stream layout whose object needs no storage.
std::string bare(const std::string& object) {
  const std::string whole = stream(object);
  return whole.substr(0, whole.rfind(protocol + "](")) + protocol + "].";
}
StateDict parse(const std::string& bytes) { return parse_stream(bytes, "some.pth"); }
auto parsing(const std::string& object) {
  return [object] { parse(stream(object)); };
}
auto parsing_bare(const std::string& object) {
  return [object] { parse(bare(object)); };
}

TEST(Pickle, ReadsTheTensorsOfPyTorchBeforeVersion04) {
  // Python 2: OrderedDict([[name, Parameter]]), short strings, parameters made by __newobj__ and
  // given their flags by BUILD.
  const std::string parameter = global("torch.nn.parameter", "Parameter") +
                                tensor(storage(6), 0, {2, 3}, {3, 1}) + "\x85\x81(\x88\x89}tb";
  const auto state = parse(stream(global("collections", "OrderedDict") + "](](" +
                                  std::string("U\x01w") + parameter + "ee\x85R"));
  ASSERT_EQ(state.size(), 1U);
  EXPECT_EQ(state[0].first, "w");
  EXPECT_TRUE(at::equal(state[0].second, at::arange(6).to(at::kFloat).reshape({2, 3})));
}

TEST(Pickle, ReadsAStorageThatIsAViewOfAnother) {
  const auto state = parse(stream(
      named(tensor(storage(6, "k", "(" + text("v") + number(2) + number(3) + "t"), 1, {2}, {1}))));
  EXPECT_TRUE(at::equal(state.at(0).second, at::tensor({3.0F, 4.0F})));
}

TEST(Pickle, NamesOfNestedDictionariesAreJoinedByDots) {
  const std::string leaf = tensor(storage(6), 0, {1}, {1});
  const auto state = parse(stream("}(" + text("g") + named(leaf) + text("d") + named(leaf) +
                                  text("epoch") + number(3) + "u"));
  ASSERT_EQ(state.size(), 2U);
  EXPECT_EQ(state[0].first, "g.w");
  EXPECT_EQ(state[1].first, "d.w");
}

TEST(Pickle, OnlyACommonModulePrefixIsTakenOff) {
  const std::string leaf = tensor(storage(6), 0, {1}, {1});
  const auto state = parse(stream("}(" + text("module.a") + leaf + text("b") + leaf + "u"));
  EXPECT_EQ(state.at(0).first, "module.a");
}

TEST(Pickle, ATensorMustLieInItsStorage) {
  EXPECT_THAT(parsing(named(tensor(storage(6), 1, {2, 3}, {3, 1}))),
              ThrowsUsageError(HasSubstr("\"w\" reaches element 6 of a storage that has 6")));
  EXPECT_THAT(parsing(named(tensor(storage(7), 0, {1}, {1}))),
              ThrowsUsageError(HasSubstr("needs a storage of 7 elements, but the file holds 6")));
  EXPECT_THAT(parsing(named(tensor(storage(6), -1, {1}, {1}))),
              ThrowsUsageError(HasSubstr("offset of a tensor is not an integer of at least 0")));
  EXPECT_THAT(parsing(named(tensor(storage(6), 0, {2}, {-1}))),
              ThrowsUsageError(HasSubstr("strides of a tensor is not an integer of at least 0")));
  EXPECT_THAT(parsing(named(tensor(storage(6), 0, {2, 2}, {1}))),
              ThrowsUsageError(HasSubstr("strides")));
  EXPECT_THAT(parsing(named(tensor(storage(6), 0, {3, 1L << 62}, {1L << 62, 1L << 40}))),
              ThrowsUsageError(HasSubstr("beyond any memory")));
  EXPECT_THAT(parsing(named(tensor(storage(6), 0, {0, 1L << 62, 8}, {0, 0, 0}))),
              ThrowsUsageError(HasSubstr("beyond any memory")));
}

TEST(Pickle, ABroadcastThatClaimsATerabyteIsRefused) {
  EXPECT_THAT(parsing(named(tensor(storage(6), 0, {1L << 40}, {0}))),
              ThrowsUsageError(HasSubstr("16 times its size")));
  EXPECT_EQ(parse(stream(named(tensor(storage(6), 0, {1000}, {0})))).at(0).second.numel(), 1000);
}

TEST(Pickle, SizesThatTheFileDoesNotHaveAreNotAllocated) {
  EXPECT_THAT(parsing(std::string("X\xff\xff\xff\xff") + "w"),
              ThrowsUsageError(HasSubstr("bytes too early")));
  EXPECT_THAT(parsing(std::string("\x8d\xff\xff\xff\xff\xff\xff\xff\xff") + "w"),
              ThrowsUsageError(HasSubstr("bytes too early")));
  std::string bytes = stream(named(tensor(storage(6), 0, {1}, {1})));
  bytes.resize(bytes.size() - 1);
  EXPECT_THAT([&] { parse(bytes); }, ThrowsUsageError(HasSubstr("ends inside storage k")));
}

TEST(Pickle, DictionariesThatHoldThemselvesOrGrowWithoutBoundAreRefused) {
  EXPECT_THAT(parsing_bare("}q\x01" + text("d") + "h\x01s"),
              ThrowsUsageError(HasSubstr("nested more than 32 deep")));
  // Each level holds the one before twice: 2^30 dictionaries out of 30 lines.
  std::string levels = "}q" + std::string(1, '\0');
  for (char level = 1; level <= 30; ++level)
    levels += "}q" + std::string(1, level) + "(" + text("a") + "h" +
              std::string(1, static_cast<char>(level - 1)) + text("b") + "h" +
              std::string(1, static_cast<char>(level - 1)) + "u";
  EXPECT_THAT(parsing_bare("(" + levels + "l0h\x1e"),
              ThrowsUsageError(HasSubstr("16 times its size")));
}

TEST(Pickle, AMillionBracketsCostNoStack) {
  EXPECT_THAT(parsing(std::string(1000000, '(')), ThrowsUsageError());
  std::string nested = "]";
  for (int i = 0; i < 200000; ++i) nested += "\x85";
  EXPECT_THAT(parsing_bare(nested),
              ThrowsUsageError(HasSubstr("contains a tuple, expected a dictionary")));
}

TEST(Pickle, MisusedObjectsAreRefusedWithTheirPlace) {
  const auto refused = [](const std::string& object, const std::string& why) {
    EXPECT_THAT(parsing(object), ThrowsUsageError(HasSubstr("pickle, byte"), HasSubstr(why)));
  };
  refused("R", "a value is used where there is none");
  refused("t", "a missing mark");
  refused("h\x05", "value 5 is recalled but was never stored");
  refused("}(" + text("a") + "u", "last key has no value");
  refused("]" + number(1) + number(2) + "s", "items are put into a list, expected a dictionary");
  refused(number(1) + ")R", "an integer is called");
  refused(global("collections", "OrderedDict") + number(1) + "R",
          "the arguments of a call is an integer");
  refused(global("torch", "FloatStorage") + ")R", "a global is called");
  refused(global("torch._utils", "_rebuild_tensor_v2") + ")R", "not made of a storage");
  refused(global("torch._utils", "_rebuild_parameter") + ")R", "not made of a tensor");
  refused("NQ", "a persistent id is None");
  refused(")Q", "names no storage");
  refused(")}b", "a state of a dictionary is given to a tuple");
  refused("}}", "ends with values left over");
  refused("\x80\x01", "pickle protocol 1");
  refused("i", "opcode 105 does not belong");
  refused(global("builtins", "eval"), "builtins.eval");
  refused(text("os") + text("system") + "\x93", "os.system");
  refused(global("os", std::string(500, 'x')), "os.xxx");
  refused(global("torch._tensor", "_rebuild_from_type_v2") + ")R", "made of 0 values");
}

/// A file whose dictionary has a tensor "w" and `value` beside it.
std::string beside(const std::string& value) {
  return stream("}(" + text("w") + tensor(storage(6), 0, {2}, {1}) + text("other") + value + "u");
}

// What training scripts put beside the weights, opcode by opcode as pickle writes it.
TEST(Pickle, ObjectsBesideTheWeightsAreKeptAsNamesAndNeverCalled) {
  const std::string dtype =
      global("numpy", "dtype") + text("f8") + "\x89\x88\x87R(K\x03" + text("<") + "NNNtb";
  const std::string latin = global("_codecs", "encode") + text("abc") + text("latin1") + "\x86R";
  const std::vector<std::pair<std::string, std::string>> objects{
      {global("numpy._core.multiarray", "scalar") + dtype + latin + "\x86R",
       "an object of numpy._core.multiarray.scalar"},
      {global("torch", "Size") + tuple({3, 4}) + "\x85R", "an object of torch.Size"},
      {global("torch", "float32"), "an object of torch.float32"},
      {global("torch", "device") + text("cpu") + "\x85R", "an object of torch.device"},
      {global("__builtin__", "set") + "](K\x01K\x02" + "e\x85R", "an object of __builtin__.set"},
      {"\x8f(K\x01K\x02\x90", "an object of builtins.set"},
      {"(K\x01K\x02\x91", "an object of builtins.frozenset"},
      {global("collections", "Counter") + "}" + text("a") + "K\x01s\x85R",
       "an object of collections.Counter"},
      {global("datetime", "datetime") + latin + "\x85R", "an object of datetime.datetime"},
      {global("argparse", "Namespace") + ")\x81}" + text("lr") + number(1) + "sb",
       "an object of argparse.Namespace"},
      {global("my.module", "Config") + ")}\x92", "an object of my.module.Config"},
      {global("builtins", "complex") + "GaaaaaaaaGbbbbbbbb\x86R", "an object of builtins.complex"},
      {"C\x03raw", "an object of builtins.bytes"},
      {global("collections", "defaultdict") + global("builtins", "int") + "\x85R" + text("a") +
           "K\x01s",
       ""},
      {number(7), "an integer"},
      {"N", "None"}};
  for (const auto& [object, what] : objects) {
    SCOPED_TRACE(what);
    std::vector<Skipped> skipped;
    const auto state = parse_stream(beside(object), "some.pth", {}, &skipped);
    ASSERT_EQ(state.size(), 1U);
    EXPECT_TRUE(at::equal(state[0].second, at::tensor({0.0F, 1.0F})));
    if (what.empty()) continue;
    ASSERT_EQ(skipped.size(), 1U);
    EXPECT_EQ(skipped[0].name, "other");
    EXPECT_EQ(skipped[0].what, what);
  }
}

TEST(Pickle, WhatStandsBesideAStateDictionaryIsListed) {
  const std::string leaf = tensor(storage(6), 0, {1}, {1});
  std::vector<Skipped> skipped;
  const auto state = parse_stream(
      stream("}(" + text("epoch") + number(3) + text("state_dict") + named(leaf) +
             text("optimizer") + "}" + text("args") + global("argparse", "Namespace") + ")\x81u"),
      "some.pth", {}, &skipped);
  EXPECT_EQ(state.size(), 1U);
  ASSERT_EQ(skipped.size(), 3U);
  EXPECT_EQ(skipped[0].name + ": " + skipped[0].what, "epoch: an integer");
  EXPECT_EQ(skipped[1].name + ": " + skipped[1].what, "optimizer: a dictionary");
  EXPECT_EQ(skipped[2].name + ": " + skipped[2].what, "args: an object of argparse.Namespace");
}

TEST(Pickle, AnObjectIsRefusedOnlyWhereATensorHangsOnIt) {
  const std::string leaf = tensor(storage(6), 0, {2}, {1});
  const auto refused = [](const std::string& value, const std::string& why) {
    EXPECT_THAT(
        [&] { parse(beside(value)); },
        ThrowsUsageError(HasSubstr("\"other\""), HasSubstr(why), HasSubstr("nothing was run")));
  };
  refused(global("torch._utils", "_rebuild_sparse_tensor") + global("torch", "sparse_coo") + "(" +
              leaf + leaf + tuple({4}) + "t\x86R",
          "_rebuild_sparse_tensor");
  refused(global("torch._utils", "_rebuild_meta_tensor_no_storage") + ")R",
          "_rebuild_meta_tensor_no_storage");
  refused(global("my.module", "Layer") + ")\x81" + named(leaf, "weight") + "b", "my.module.Layer");
  EXPECT_THAT(parsing_bare(global("my.module", "Net") + ")\x81}b"),
              ThrowsUsageError(HasSubstr("an object of my.module.Net"), HasSubstr("state_dict()")));
  EXPECT_THAT(parsing(named(tensor(global("my", "thing"), 0, {1}, {1}))),
              ThrowsUsageError(HasSubstr("not made of a storage")));
}

// A tensor with attributes (a Buffer), of a class derived from Tensor, and a parameter with a
// state.
TEST(Pickle, TensorsOfClassesAreTheirTensors) {
  const std::string v2 = global("torch._utils", "_rebuild_tensor_v2"),
                    arguments = "(" + storage(6) + number(0) + tuple({2}) + tuple({1}) + "\x89}t";
  const std::string buffer = global("torch._tensor", "_rebuild_from_type_v2") + "(" + v2 +
                             global("torch.nn.parameter", "Buffer") + arguments +
                             named("\x88", "persistent") + "tR";
  const std::string parameter =
      global("torch._utils", "_rebuild_parameter_with_state") + "(" + v2 + arguments + "R\x88}}tR";
  for (const auto& value : {buffer, parameter})
    EXPECT_TRUE(at::equal(parse(stream(named(value))).at(0).second, at::tensor({0.0F, 1.0F})));
}

TEST(Pickle, TypesWithoutAStorageClassAreReadFromTheirBytes) {
  const auto of_type = [](const std::string& type, const std::vector<std::int64_t>& sizes,
                          const std::vector<std::int64_t>& strides) {
    return global("torch._utils", "_rebuild_tensor_v3") + "((" + text("storage") +
           global("torch.storage", "UntypedStorage") + text("k") + text("cpu") + number(24) + "tQ" +
           number(1) + tuple(sizes) + tuple(strides) + "\x89}" + global("torch", type) + "tR";
  };
  // The stream layout counts a storage in elements, here bytes.
  const auto file = [](const std::string& object) {
    auto bytes = stream(object);
    const std::uint64_t count = 24;
    std::memcpy(bytes.data() + bytes.size() - 32, &count, 8);
    return bytes;
  };
  const auto words = parse(file(named(of_type("uint16", {5}, {2})))).at(0).second;
  EXPECT_EQ(words.scalar_type(), at::kUInt16);
  EXPECT_EQ(words.to(at::kInt)[1].item<int>(), 0x3F80) << "the upper half of 1.0F";
  EXPECT_EQ(parse(file(named(of_type("float8_e4m3fn", {23}, {1})))).at(0).second.scalar_type(),
            at::kFloat8_e4m3fn);
  EXPECT_THAT([&] { parse(file(named(of_type("uint16", {12}, {1})))); },
              ThrowsUsageError(HasSubstr("reaches element 12 of a storage that has 12")));
  EXPECT_THAT([&] { parse(file(named(of_type("bits1x8", {2}, {1})))); },
              ThrowsUsageError(HasSubstr("of the type bits1x8"), HasSubstr("not supported")));
}

// A thousand objects that share a long list are looked through once, not a thousand times.
TEST(Pickle, ObjectsThatShareTheirItemsCostTheirBytes) {
  std::string object = "}(" + text("w") + tensor(storage(6), 0, {1}, {1}) + text("list") + "](";
  for (int i = 0; i < 100000; ++i) object += "K\x01";
  object += "eq\x01";
  for (int i = 0; i < 10000; ++i)
    object += text(std::to_string(i)) + global("m", "C") + "h\x01\x85R";
  std::vector<Skipped> skipped;
  parse_stream(stream(object + "u"), "some.pth", {}, &skipped);
  EXPECT_EQ(skipped.size(), 10001U);
}

TEST(Pickle, AnObjectThatIsNoDictionaryOrHoldsNoTensorSaysSo) {
  EXPECT_THAT(parsing_bare("N"),
              ThrowsUsageError(HasSubstr("contains None, expected a dictionary")));
  EXPECT_THAT(parsing_bare(named(number(1), "epoch")),
              ThrowsUsageError(HasSubstr("a dictionary without tensors")));
  EXPECT_THAT(parsing("})" + tensor(storage(6), 0, {1}, {1}) + "s"),
              ThrowsUsageError(HasSubstr("a name that is a tuple")));
  const std::string leaf = tensor(storage(6), 0, {1}, {1});
  EXPECT_THAT(parsing("}(" + text("w") + leaf + text("w") + leaf + "u"),
              ThrowsUsageError(HasSubstr("\"w\" is given twice")));
  EXPECT_THAT(parsing(named(tensor(storage(6, "other"), 0, {1}, {1}))),
              ThrowsUsageError(HasSubstr("lists a storage that no tensor names")));
}

}  // namespace
}  // namespace reprise::weights
