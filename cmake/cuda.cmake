# reprise_cuda: the code that links LibTorch's CUDA libraries (models/diffusion/cuda,
# training/cuda). It is built where these and the headers of CUDA's runtime are installed. The
# program loads it at run time (experiments/run/device.cpp), so that it also runs without CUDA.
find_library(REPRISE_TORCH_CUDA torch_cuda PATHS "${REPRISE_TORCH_LIB}" NO_DEFAULT_PATH)
find_library(REPRISE_C10_CUDA c10_cuda PATHS "${REPRISE_TORCH_LIB}" NO_DEFAULT_PATH)
# scripts/fetch_libtorch --cuda unpacks them beside LibTorch's; else those of a toolkit.
find_path(REPRISE_CUDA_INCLUDE cuda_runtime_api.h PATHS "${REPRISE_TORCH_INCLUDE}" "$ENV{CUDA_HOME}/include" /usr/local/cuda/include)
find_path(REPRISE_NCCL_INCLUDE nccl.h PATHS "${REPRISE_TORCH_INCLUDE}" "$ENV{CUDA_HOME}/include" /usr/local/cuda/include)
if(NOT REPRISE_TORCH_CUDA OR NOT REPRISE_C10_CUDA OR NOT REPRISE_CUDA_INCLUDE OR NOT REPRISE_NCCL_INCLUDE)
  return()
endif()
add_library(reprise_cuda MODULE models/diffusion/cuda/record.cpp training/cuda/nccl.cpp)
target_compile_definitions(reprise_cuda PRIVATE USE_C10D_NCCL)
target_include_directories(reprise_cuda PRIVATE "${PROJECT_SOURCE_DIR}")
target_include_directories(reprise_cuda SYSTEM PRIVATE "${REPRISE_CUDA_INCLUDE}" "${REPRISE_NCCL_INCLUDE}")
target_link_libraries(reprise_cuda PRIVATE "${REPRISE_TORCH_CUDA}" "${REPRISE_C10_CUDA}" torch::cpu reprise_warnings)
add_dependencies(reprise reprise_cuda)
install(TARGETS reprise_cuda LIBRARY DESTINATION lib/reprise)
