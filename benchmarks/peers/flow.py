"""DIS optical flow by OpenCV's own Python on the frames of benchmarks/bench_flow.cpp; without cv2 there is nothing to compare with."""
import numpy
from timing import Results

try:
    import cv2
except ImportError:
    cv2 = None

FRAMES, HEIGHT, WIDTH = 64, 240, 320


def frame(t):
    y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH]
    x = x - 2 * t
    picture = 128 + 50 * numpy.sin(0.11 * x + 0.05 * y) + 40 * numpy.cos(0.23 * y - 0.07 * x) + 20 * numpy.sin(0.9 * x) * numpy.sin(0.8 * y)
    return picture.astype(numpy.uint8)


def main():
    results = Results()
    if cv2 is not None:
        frames = [frame(t) for t in range(FRAMES + 1)]
        dis = cv2.DISOpticalFlow_create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM)
        results.add("flow/dis", "loop", lambda: [dis.calc(a, b, None) for a, b in zip(frames, frames[1:])], 3)
    results.print()


main()
