# REPRISE_FUZZ (preset fuzz): readers of untrusted files under libFuzzer, in one program
# (tests/fuzz/readers.cpp). It is made of the sources that they need, which takes two CPU minutes.
# Whole layers take 20 with sanitizers.
file(GLOB_RECURSE fuzz_sources CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/core/*.cpp"
  "${PROJECT_SOURCE_DIR}/statistics/*.cpp"
  "${PROJECT_SOURCE_DIR}/records/*.cpp"
  "${PROJECT_SOURCE_DIR}/weights/*.cpp")
foreach(source
    datasets/formats/idx.cpp
    datasets/formats/image_header.cpp
    datasets/formats/mat.cpp
    datasets/formats/npy.cpp
    datasets/formats/wav.cpp
    datasets/issues.cpp
    datasets/readers/pts.cpp
    datasets/readers/usps.cpp
    experiments/names.cpp
    experiments/settings.cpp
    tests/fuzz/readers.cpp)
  list(APPEND fuzz_sources "${PROJECT_SOURCE_DIR}/${source}")
endforeach()
add_executable(fuzz_readers EXCLUDE_FROM_ALL ${fuzz_sources})
reprise_together(fuzz_readers ${REPRISE_FILES_AT_A_TIME} ${fuzz_sources})
target_include_directories(fuzz_readers PRIVATE "${PROJECT_SOURCE_DIR}")
target_compile_options(fuzz_readers PRIVATE -fsanitize=fuzzer)
target_link_options(fuzz_readers PRIVATE -fsanitize=fuzzer)
target_link_libraries(fuzz_readers PRIVATE torch::cpu nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus OpenSSL::Crypto
  LibArchive::LibArchive ZLIB::ZLIB ${LIBCSV})
