"""Line plots as SVG with two logarithmic axes."""

import math

COLOURS = ["#0b6e4f", "#c8553d", "#3d5a80", "#e0a458", "#6d597a", "#7f8c8d", "#2a9d8f"]
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 420, 80, 40, 230, 50


def plot(path, title, across, up, figures):
    """Writes a plot of lines, each with a name and its points."""
    points = [point for line in figures.values() for point in line if point[1] > 0]
    xs = _axis([x for x, _ in points])
    ys = _axis([y for _, y in points])

    def place(x, y):
        return (LEFT + _share(x, xs) * (WIDTH - LEFT - RIGHT),
                HEIGHT - BOTTOM - _share(y, ys) * (HEIGHT - TOP - BOTTOM))

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="15">{title}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{across}</text>',
        f'<text transform="translate(16 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">{up}</text>',
    ]
    for x in sorted({x for x, _ in points}):
        at, _ = place(x, ys[0])
        out.append(_line(at, TOP, at, HEIGHT - BOTTOM, "#eee"))
        out.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{x:,}</text>')
    for exponent in range(math.ceil(math.log10(ys[0])), math.floor(math.log10(ys[1])) + 1):
        _, at = place(xs[0], 10**exponent)
        out.append(_line(LEFT, at, WIDTH - RIGHT, at, "#ddd"))
        out.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{10**exponent:,}</text>')
    for number, (name, line) in enumerate(figures.items()):
        colour = COLOURS[number % len(COLOURS)]
        places = [place(x, y) for x, y in line if y > 0]
        path_text = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        out.append(f'<polyline points="{path_text}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        at = TOP + 10 + number * 20
        out.append(_line(WIDTH - RIGHT + 14, at, WIDTH - RIGHT + 34, at, colour))
        out.append(f'<text x="{WIDTH - RIGHT + 40}" y="{at + 4}">{name}</text>')
    out.append("</svg>\n")
    with open(path, "w") as file:
        file.write("\n".join(out))


def _axis(values):
    low, high = min(values), max(values)
    return low / 1.3, high * 1.3


def _share(value, axis):
    return math.log(value / axis[0]) / math.log(axis[1] / axis[0])


def _line(x1, y1, x2, y2, colour):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'
