"""Decode and augment as benchmarks/bench_images.cpp does, with Pillow and torch: the same JPEG, crop, map, mirror and type; one thread."""
import math
import random

import numpy
import torch
from PIL import Image
from timing import Results

WIDTH, HEIGHT, SIZE = 640, 480, 128


def augmented(generator):
    image = torch.from_numpy(numpy.array(Image.open("data/face.jpg").convert("RGB"))).permute(2, 0, 1).float().div_(255)
    angle, scale = generator.uniform(-0.35, 0.35), generator.uniform(0.85, 1.15) * SIZE / 300
    # grid_sample wants target -> source, both in [-1, 1].
    c, s = SIZE / scale * math.cos(angle), SIZE / scale * math.sin(angle)
    theta = torch.tensor([[c / WIDTH, s / WIDTH, 0], [-s / HEIGHT, c / HEIGHT, 0]])
    grid = torch.nn.functional.affine_grid(theta[None], [1, 3, SIZE, SIZE], align_corners=False)
    face = torch.nn.functional.grid_sample(image[None], grid, padding_mode="border", align_corners=False)[0]
    return face.flip(2) if generator.random() < 0.5 else face


def main():
    results = Results()
    torch.set_num_threads(1)
    generator = random.Random(2)
    results.add("images/decode_and_augment", "loop", lambda: augmented(generator), 200)
    results.print()


main()
