"""The Kalman and particle filters of benchmarks/bench_trackers.cpp: by filterpy, where it is installed, and in vectorised NumPy."""
import numpy
from timing import Results

try:
    from filterpy.kalman import KalmanFilter
except ImportError:
    KalmanFilter = None

STEPS = 1000


def model(angles):
    eye = numpy.eye(angles)
    w = numpy.kron(eye, [[1.0, 1.0], [0.0, 1.0]])
    v = numpy.kron(eye, [[1.0, 0.0]])
    q = numpy.kron(eye, 0.1 * numpy.array([[0.25, 0.5], [0.5, 1.0]]))
    return w, v, q, eye


def kalman(angles):
    w, v, q, r = model(angles)
    filter = KalmanFilter(dim_x=2 * angles, dim_z=angles)
    filter.F, filter.H, filter.Q, filter.R, filter.P = w, v, q, r, numpy.eye(2 * angles)
    x = numpy.random.default_rng(1).normal(size=(STEPS, angles, 1)).cumsum(0)

    def run():
        for t in range(STEPS):
            filter.predict()
            filter.update(x[t])
    return run


def particles(count, steps=20):
    rng = numpy.random.default_rng(1)
    x = rng.normal(size=steps).cumsum()
    h = rng.normal(size=(2, count))
    step = numpy.sqrt(0.1) * numpy.array([[0.5], [1.0]])

    def run():
        nonlocal h
        for t in range(steps):
            h[0] += h[1]
            h += step * rng.standard_normal(count)
            distance = (x[t] - h[0]) ** 2
            weight = numpy.exp(-0.5 * (distance - distance.min()))
            weight /= weight.sum()
            h @ weight
            places = (numpy.arange(count) + rng.random()) / count
            h = h[:, numpy.searchsorted(numpy.cumsum(weight), places).clip(max=count - 1)]
    return run


def main():
    results = Results()
    if KalmanFilter is not None:
        for angles in (1, 3):
            results.add(f"kalman/{2 * angles}", "loop", kalman(angles), 3)
    for count in (1000, 100000):
        results.add(f"particles/{count}", "loop", particles(count), 5)
    results.print()


main()
