"""The landmark network in PyTorch, for learning. `core.seeing.network` evaluates the same in numpy.

Three views pass through one U-net with weights of its own at both ends for each view. Between levels each view is
told what the other two see along the axis they share: the mean and the largest value over the axis not shared.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from core.seeing.views import IMAGE_AXES, MAPS

WIDTHS = (40, 64, 96, 128)


def block(a: int, b: int) -> nn.Sequential:
    """Two convolutions."""
    return nn.Sequential(nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(),
                         nn.Conv2d(b, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU())


class Exchange(nn.Module):
    """Adds to each view what the two others see along the axis it shares with them."""

    def __init__(self, width: int):
        super().__init__()
        self.mix = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(6))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x (3, N, C, S, S) -> the same."""
        out = [x[v] for v in range(3)]
        k = 0
        for v in range(3):
            for w in range(3):
                if v == w:
                    continue
                shared = next(a for a in IMAGE_AXES[v] if a in IMAGE_AXES[w])
                over = 3 if IMAGE_AXES[w][0] == shared else 2
                profile = torch.cat([x[w].mean(over), x[w].amax(over)], 1)          # (N, 2C, S)
                told = self.mix[k](profile.transpose(1, 2)).transpose(1, 2)
                out[v] = out[v] + (told[:, :, :, None] if IMAGE_AXES[v][0] == shared else told[:, :, None, :])
                k += 1
        return torch.stack(out)


class LandmarkNet(nn.Module):
    """Views (N, 3, MAPS, 64, 64) -> logits (N, 3, outputs, 64, 64) and kind logits (N, kinds)."""

    def __init__(self, outputs: int, kinds: int = 2, widths: tuple[int, ...] = WIDTHS):
        super().__init__()
        a, b, c, d = widths
        self.first = nn.ModuleList(nn.Conv2d(4 * (MAPS + 2), a, 3, padding=1) for _ in range(3))
        self.down = nn.ModuleList([block(a, a), block(a, b), block(b, c), block(c, d)])
        self.exchange = nn.ModuleList([Exchange(b), Exchange(c), Exchange(d)])
        self.up = nn.ModuleList([block(d + c, c), block(c + b, b), block(b + a, a)])
        self.again = nn.ModuleList([Exchange(c), Exchange(b)])
        self.last = nn.ModuleList(nn.Conv2d(a, 4 * outputs, 1) for _ in range(3))
        self.kind = nn.Linear(3 * d, kinds)
        g = (torch.arange(64) + 0.5) / 32 - 1
        self.register_buffer("places", torch.stack(torch.meshgrid(g, g, indexing="ij")), persistent=False)

    def forward(self, views: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        n = len(views)
        places = self.places.expand(n, 2, 64, 64)
        x = torch.cat([F.relu(self.first[v](F.pixel_unshuffle(torch.cat([views[:, v], places], 1), 2)))
                       for v in range(3)])
        kept = []
        for i, down in enumerate(self.down):
            if i:
                x = F.max_pool2d(x, 2)
            x = down(x)
            if i:
                x = self.exchange[i - 1](x.unflatten(0, (3, n))).flatten(0, 1)
            kept.append(x)
        kind = self.kind(x.unflatten(0, (3, n)).mean((3, 4)).transpose(0, 1).flatten(1))
        for i, up in enumerate(self.up):
            x = up(torch.cat([F.interpolate(x, scale_factor=2, mode="nearest"), kept[2 - i]], 1))
            if i < 2:
                x = self.again[i](x.unflatten(0, (3, n))).flatten(0, 1)
        x = x.unflatten(0, (3, n))
        return torch.stack([F.pixel_shuffle(self.last[v](x[v]), 2) for v in range(3)], 1), kind
