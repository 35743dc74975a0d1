"""Plots as SVG for pages with a light and with a dark background: lines with two logarithmic axes, and bars."""

import html
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
BAR, BARS_LEFT, BARS_RIGHT = 26, 190, 90


def lines(base, title, note, across, up, figures):
    """Writes a plot of lines, each with a name and its points, in both themes: base.svg and base~dark.svg."""
    _write(base, lambda theme: drawn_lines(theme, title, note, across, up, figures))


def bars(base, title, note, across, figures):
    """Writes a plot of horizontal bars, each with a name and its value, in both themes."""
    _write(base, lambda theme: drawn_bars(theme, title, note, across, figures))


def _write(base, drawn):
    for theme in THEMES:
        with open(f"{base}{theme.suffix}.svg", "w") as file:
            file.write(drawn(theme))


def drawn_lines(theme, title, note, across, up, figures):
    """Returns the text of a plot of lines."""
    points = [point for line in figures.values() for point in line if point[1] > 0]
    xs = _axis([x for x, _ in points])
    ys = _axis([y for _, y in points])

    def place(x, y):
        return (LEFT + _share(x, xs) * (WIDTH - LEFT - RIGHT),
                HEIGHT - BOTTOM - _share(y, ys) * (HEIGHT - TOP - BOTTOM))

    out = _start(theme, HEIGHT, LEFT, title, note) + [
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
    for number, (name, line) in enumerate(sorted(figures.items(), key=lambda one: not _is_catena(one[0]))):
        colour = theme.lines[number % len(theme.lines)]
        places = [place(x, y) for x, y in line if y > 0]
        path_text = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        out.append(f'<polyline points="{path_text}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        at = TOP + 10 + number * 20
        out.append(f'<path d="M{WIDTH - RIGHT + 14} {at}h20" stroke="{colour}" stroke-width="2"/>')
        out.append(f'<text x="{WIDTH - RIGHT + 40}" y="{at + 4}">{html.escape(name)}</text>')
    out.append("</svg>\n")
    return "\n".join(out)


def drawn_bars(theme, title, note, across, figures):
    """Returns the text of a plot of bars, the shortest first. Those of Catena have another colour."""
    height = TOP + len(figures) * BAR + BOTTOM
    scale = (WIDTH - BARS_LEFT - BARS_RIGHT) / max(figures.values())
    out = _start(theme, height, 16, title, note) + [
        f'<text x="{BARS_LEFT}" y="{height - 24}">{across}</text>',
    ]
    for number, (name, value) in enumerate(sorted(figures.items(), key=lambda one: one[1])):
        at = TOP + number * BAR
        colour = theme.lines[0] if _is_catena(name) else theme.lines[5]
        out.append(f'<text x="{BARS_LEFT - 8}" y="{at + 17}" text-anchor="end">{html.escape(name)}</text>')
        out.append(f'<rect x="{BARS_LEFT}" y="{at + 4}" width="{max(value * scale, 1):.1f}" '
                   f'height="{BAR - 8}" fill="{colour}"/>')
        out.append(f'<text x="{BARS_LEFT + value * scale + 6:.1f}" y="{at + 17}">{value:,.0f}</text>')
    out.append("</svg>\n")
    return "\n".join(out)


def _start(theme, height, left, title, note):
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" font-size="12" fill="{theme.text}">',
        f'<rect width="{WIDTH}" height="{height}" fill="{theme.background}"/>',
        f'<text x="{left}" y="22" font-size="15">{html.escape(title)}</text>',
    ]
    if note:
        out.append(f'<text x="{left}" y="35" font-size="9">{html.escape(note)}</text>')
    return out


def _is_catena(name):
    return name.startswith("Catena")


def _axis(values):
    low, high = min(values), max(values)
    return low / 1.3, high * 1.3


def _share(value, axis):
    return math.log(value / axis[0]) / math.log(axis[1] / axis[0])


def _line(x1, y1, x2, y2, colour):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'
