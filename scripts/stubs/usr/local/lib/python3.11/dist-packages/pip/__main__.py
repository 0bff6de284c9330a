# "pip download": wheels with the files that are asked for, and next to nothing in them; the same bytes each time.
import sys, zipfile
if "download" in sys.argv:
    folder = sys.argv[sys.argv.index("--dest") + 1]
    with zipfile.ZipFile(folder + "/torch-0-stub.whl", "w") as wheel:
        for name in ("libtorch_cpu.so", "libc10.so", "libgomp.so.1"):
            wheel.writestr(zipfile.ZipInfo("torch/lib/" + name), "stub")
        wheel.writestr(zipfile.ZipInfo("torch/include/torch/csrc/api/include/torch/torch.h"), "// stub")
    with zipfile.ZipFile(folder + "/nvidia-0-stub.whl", "w") as wheel:
        for name in ("libcudart.so.13", "libcupti.so.13"):
            wheel.writestr(zipfile.ZipInfo("nvidia/lib/" + name), "stub")
