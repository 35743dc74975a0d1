"""Line plots as SVG with two logarithmic axes, for pages with a light and with a dark background."""

import math
from dataclasses import dataclass


@dataclass
class Theme:
    """The colours of a plot, and the end of the name of its file."""

    suffix: str
    background: str
    text: str
    grid: str
    lines: list


THEMES = [
    Theme("", "white", "#1f2328", "#e4e4e4",
          ["#0b6e4f", "#c8553d", "#3d5a80", "#b7791f", "#6d597a", "#5f6a6a", "#1f7a8c"]),
    Theme("~dark", "#0d1117", "#e6edf3", "#30363d",
          ["#56d4a4", "#ff8f75", "#8ab4f8", "#f2c14e", "#c9a7e0", "#aab7b8", "#5ad1e6"]),
]
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 420, 80, 40, 230, 50


def plot(base, title, across, up, figures):
    """Writes a plot of lines, each with a name and its points, in both themes: base.svg and base~dark.svg."""
    for theme in THEMES:
        with open(f"{base}{theme.suffix}.svg", "w") as file:
            file.write(drawn(theme, title, across, up, figures))


def drawn(theme, title, across, up, figures):
    """Returns the text of a plot."""
    points = [point for line in figures.values() for point in line if point[1] > 0]
    xs = _axis([x for x, _ in points])
    ys = _axis([y for _, y in points])

    def place(x, y):
        return (LEFT + _share(x, xs) * (WIDTH - LEFT - RIGHT),
                HEIGHT - BOTTOM - _share(y, ys) * (HEIGHT - TOP - BOTTOM))

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="12" fill="{theme.text}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{theme.background}"/>',
        f'<text x="{LEFT}" y="22" font-size="15">{title}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{across}</text>',
        f'<text transform="translate(16 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">{up}</text>',
    ]
    for x in sorted({x for x, _ in points}):
        at, _ = place(x, ys[0])
        out.append(_line(at, TOP, at, HEIGHT - BOTTOM, theme.grid))
        out.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{x:,}</text>')
    for exponent in range(math.ceil(math.log10(ys[0])), math.floor(math.log10(ys[1])) + 1):
        _, at = place(xs[0], 10**exponent)
        out.append(_line(LEFT, at, WIDTH - RIGHT, at, theme.grid))
        out.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{10**exponent:,}</text>')
    for number, (name, line) in enumerate(figures.items()):
        colour = theme.lines[number % len(theme.lines)]
        places = [place(x, y) for x, y in line if y > 0]
        path_text = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        out.append(f'<polyline points="{path_text}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        at = TOP + 10 + number * 20
        out.append(_line(WIDTH - RIGHT + 14, at, WIDTH - RIGHT + 34, at, colour))
        out.append(f'<text x="{WIDTH - RIGHT + 40}" y="{at + 4}">{name}</text>')
    out.append("</svg>\n")
    return "\n".join(out)


def _axis(values):
    low, high = min(values), max(values)
    return low / 1.3, high * 1.3


def _share(value, axis):
    return math.log(value / axis[0]) / math.log(axis[1] / axis[0])


def _line(x1, y1, x2, y2, colour):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'
