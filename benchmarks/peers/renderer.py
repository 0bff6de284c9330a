"""A z-buffered, shaded frame in plain PyTorch, without a loop over triangles: a ball of as many triangles as a head has (about 4,500), 2 x 2
samples a pixel, over a background; one thread. Every triangle is tried at every sample of a window as large as the largest one."""
import torch
from timing import Results


def ball(rows=48, columns=48):
    """Vertices on the unit sphere, and triangles as rows of three vertex numbers."""
    v, u = torch.meshgrid(torch.linspace(0, torch.pi, rows), torch.linspace(0, 2 * torch.pi, columns + 1)[:-1], indexing="ij")
    vertices = torch.stack([v.sin() * u.cos(), v.cos(), v.sin() * u.sin()], -1).view(-1, 3)
    i, j = (k.reshape(-1) for k in torch.meshgrid(torch.arange(rows - 1), torch.arange(columns), indexing="ij"))
    a, b = i * columns + j, i * columns + (j + 1) % columns
    return vertices, torch.cat([torch.stack([a, b, a + columns], 1), torch.stack([b, b + columns, a + columns], 1)])


def render(vertices, triangles, background, size, yaw):
    side = 2 * size
    c, s = torch.cos(yaw), torch.sin(yaw)
    normal = torch.stack([c * vertices[:, 0] + s * vertices[:, 2], vertices[:, 1], c * vertices[:, 2] - s * vertices[:, 0]], 1)
    z = normal[:, 2] + 4
    screen = (side / 2 + 1.4 * side * normal[:, :2] / z[:, None])[triangles]  # [N, 3, 2]
    shade = (0.45 + 0.65 * (normal @ torch.tensor([0.0, -0.6, -0.8])).clamp(min=0))[triangles]
    edge1, edge2 = screen[:, 1] - screen[:, 0], screen[:, 2] - screen[:, 0]
    area = edge1[:, 0] * edge2[:, 1] - edge1[:, 1] * edge2[:, 0]
    seen = area.abs() > 1e-6
    seen &= normal[triangles].sum(1)[:, 2] < 0
    screen, shade, area, near = screen[seen], shade[seen], area[seen], (1 / z)[triangles][seen]
    low = screen.amin(1).floor().clamp(0, side - 1)
    window = int((screen.amax(1) - low).amax()) + 1
    offset = torch.cartesian_prod(torch.arange(window), torch.arange(window)).float()
    point = low[:, None] + offset  # [N, window^2, 2]

    def weight(p, q):  # signed area against the edge p -> q
        e, d = (screen[:, q] - screen[:, p])[:, None], point - screen[:, p, None]
        return (e[..., 0] * d[..., 1] - e[..., 1] * d[..., 0]) / area[:, None]

    weights = torch.stack([weight(1, 2), weight(2, 0), weight(0, 1)], -1)
    inside = (weights >= 0).all(-1) & (point < side).all(-1)
    place = (point[..., 1] * side + point[..., 0]).long()[inside]
    near = (weights * near[:, None]).sum(-1)[inside]
    shade = (weights * shade[:, None]).sum(-1)[inside]
    depth = torch.zeros(side * side).scatter_reduce_(0, place, near, "amax")
    front = near >= depth[place]
    image = background.repeat_interleave(2, 0).repeat_interleave(2, 1).reshape(-1, 3)
    image[place[front]] = 200 * shade[front, None]
    return image.view(size, 2, size, 2, 3).mean((1, 3)).clamp(0, 255).byte()


def main():
    results = Results()
    torch.set_num_threads(1)
    vertices, triangles = ball()
    with torch.inference_mode():
        for size, runs in ((64, 50), (400, 10)):
            background = torch.full((size, size, 3), 90.0)
            results.add(f"render_head/{size}", "loop", lambda: render(vertices, triangles, background, size, torch.tensor(0.3)), runs)
    results.print()


main()
