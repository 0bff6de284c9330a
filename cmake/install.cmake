# Installs bin/reprise and lib/reprise/ with LibTorch. The binary finds its libraries by a relative
# path, so both folders can be moved together.
include(GNUInstallDirs)
set_target_properties(reprise PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/reprise")
install(TARGETS reprise RUNTIME DESTINATION bin)
# Names the files of LibTorch: a LibTorch of the user may be in a folder with other libraries.
file(GLOB libraries "${REPRISE_TORCH_LIB}/libtorch_cpu.so" "${REPRISE_TORCH_LIB}/libc10.so" "${REPRISE_TORCH_LIB}/libgomp*.so*"
  "${REPRISE_TORCH_LIB}/libcudart*.so*" "${REPRISE_TORCH_LIB}/libcupti*.so*")
if(EXISTS "${REPRISE_TORCH_LIB}/libtorch_cuda.so")
  file(GLOB cuda_libraries "${REPRISE_TORCH_LIB}/libtorch_cuda*.so" "${REPRISE_TORCH_LIB}/libtorch_nvshmem.so" "${REPRISE_TORCH_LIB}/libc10_cuda.so" "${REPRISE_TORCH_LIB}/libcu*.so*"
    "${REPRISE_TORCH_LIB}/libnv*.so*" "${REPRISE_TORCH_LIB}/libnccl*.so*")
  list(APPEND libraries ${cuda_libraries})
  list(REMOVE_DUPLICATES libraries)
endif()
install(FILES ${libraries} DESTINATION lib/reprise)

# The man page is written from the help texts of the built program.
install(CODE "
  execute_process(
    COMMAND \"${CMAKE_COMMAND}\" \"-DPROGRAM=$<TARGET_FILE:reprise>\" \"-DVERSION=${PROJECT_VERSION}\"
            \"-DOUTPUT=\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1/reprise.1\"
            -P \"${PROJECT_SOURCE_DIR}/cmake/man_page.cmake\"
    COMMAND_ERROR_IS_FATAL ANY)")
