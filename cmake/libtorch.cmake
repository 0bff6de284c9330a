# The torch target: torch::cpu, made of libtorch_cpu.so and libc10.so alone.
#
# The wheel's TorchConfig requires a CUDA toolkit even for the CPU. The program needs only these two
# libraries, and loads libtorch_cuda.so at run time if there is one. Torch_DIR or CMAKE_PREFIX_PATH
# of the user take precedence over .deps/libtorch.
set(candidates)
foreach(folder "${Torch_DIR}" "$ENV{Torch_DIR}")
  if(folder)
    list(APPEND candidates "${folder}/../../..")
  endif()
endforeach()
string(REPLACE ":" ";" from_environment "$ENV{CMAKE_PREFIX_PATH}")
list(APPEND candidates ${CMAKE_PREFIX_PATH} ${from_environment})
list(APPEND candidates "${PROJECT_SOURCE_DIR}/.deps/libtorch")

find_path(REPRISE_TORCH_INCLUDE torch/csrc/api/include/torch/torch.h PATHS ${candidates} PATH_SUFFIXES include NO_DEFAULT_PATH)
find_library(REPRISE_TORCH_CPU torch_cpu PATHS ${candidates} PATH_SUFFIXES lib NO_DEFAULT_PATH)
find_library(REPRISE_C10 c10 PATHS ${candidates} PATH_SUFFIXES lib NO_DEFAULT_PATH)
if(NOT REPRISE_TORCH_INCLUDE OR NOT REPRISE_TORCH_CPU OR NOT REPRISE_C10)
  message(FATAL_ERROR "LibTorch was not found in: ${candidates}\n"
    "Run ./reprise once (it fetches the pinned LibTorch into .deps/), or point Torch_DIR or CMAKE_PREFIX_PATH at your own.")
endif()
get_filename_component(REPRISE_TORCH_LIB "${REPRISE_TORCH_CPU}" DIRECTORY)

add_library(reprise_torch INTERFACE)
add_library(torch::cpu ALIAS reprise_torch)
target_include_directories(reprise_torch SYSTEM INTERFACE "${REPRISE_TORCH_INCLUDE}" "${REPRISE_TORCH_INCLUDE}/torch/csrc/api/include")
target_link_libraries(reprise_torch INTERFACE "${REPRISE_TORCH_CPU}" "${REPRISE_C10}")
# libtorch_cpu.so needs libgomp, libcudart and libcupti; they lie beside it.
target_link_options(reprise_torch INTERFACE "LINKER:-rpath-link,${REPRISE_TORCH_LIB}" "LINKER:--disable-new-dtags")

# LibTorch has the headers of fmt without the library, which is built here. All libraries of the
# project use it, with torch or without, so that the program has one version of fmt.
add_library(torch_fmt STATIC "${CMAKE_CURRENT_LIST_DIR}/fmt.cpp")
target_include_directories(torch_fmt SYSTEM PUBLIC "${REPRISE_TORCH_INCLUDE}")
target_link_libraries(reprise_torch INTERFACE torch_fmt)

option(REPRISE_CUDA "Fail unless the CUDA half of LibTorch lies beside libtorch_cpu.so" OFF)
if(REPRISE_CUDA AND NOT EXISTS "${REPRISE_TORCH_LIB}/libtorch_cuda.so")
  message(FATAL_ERROR "REPRISE_CUDA is on, but ${REPRISE_TORCH_LIB} has no libtorch_cuda.so.\n"
    "Remove .deps/libtorch and run REPRISE_CUDA=1 ./reprise, which fetches LibTorch with its CUDA libraries.")
endif()
