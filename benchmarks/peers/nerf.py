"""A NeRF in plain PyTorch: one step of fitting it and one view of 64 x 64, of the size and form of models/representations/radiance_field.h; one thread."""
import math

import torch
from timing import Results
from torch import nn

SIZE, FOCAL, RADIUS, SAMPLES, WIDTH, FREQUENCIES = 64, 200.0, 4.0, 48, 64, 6


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("waves", math.pi * 2.0 ** torch.arange(FREQUENCIES))
        self.mlp = nn.Sequential(nn.Linear(6 * FREQUENCIES, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(),
                                 nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 4))

    def forward(self, points):
        angle = (points[..., None] * self.waves).flatten(-2)
        raw = self.mlp(torch.cat([angle.sin(), angle.cos()], -1))
        return 10 * nn.functional.softplus(raw[..., 0]), torch.tanh(raw[..., 1:] / 2)


def render(field, origin, direction, jitter):
    """origin, direction: [n, 3] -> [n, 3]; near and far bound the unit sphere."""
    near, far = RADIUS - 1, RADIUS + 1
    delta = (far - near) / SAMPLES
    distance = near + delta * (torch.arange(SAMPLES) + jitter)
    density, colour = field(origin[:, None] + distance[..., None] * direction[:, None])
    alpha = 1 - torch.exp(-density * delta)
    left = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-10], -1), -1)
    weight = alpha * left[:, :-1]
    return (weight[..., None] * colour).sum(1) + left[:, -1:]


def rays():
    """Of a camera at (RADIUS, 0, 0) that looks at the origin."""
    v, u = torch.meshgrid(*2 * [(torch.arange(SIZE) - (SIZE - 1) / 2) / FOCAL], indexing="ij")
    direction = torch.stack([-torch.ones_like(u), u, -v], -1).view(-1, 3)
    direction = direction / direction.norm(dim=-1, keepdim=True)
    return torch.tensor([RADIUS, 0.0, 0.0]).expand_as(direction), direction


def main():
    results = Results()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    field = Field()
    origin, direction = rays()
    target = torch.rand(SIZE * SIZE, 3)
    adam = torch.optim.Adam(field.parameters(), lr=3e-3)

    def step(count):
        drawn = torch.randint(len(origin), (count,))
        adam.zero_grad()
        pixels = render(field, origin[drawn], direction[drawn], torch.rand(count, SAMPLES))
        nn.functional.mse_loss(pixels, target[drawn]).backward()
        adam.step()

    results.add("nerf_step/1024", "loop", lambda: step(1024), 10)
    with torch.no_grad():
        results.add("nerf_view/64", "loop", lambda: render(field, origin, direction, 0.5), 5)
    results.print()


main()
