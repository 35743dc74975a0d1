"""Tables in Markdown."""

import statistics

from measuring import median, ratios


def table(heads, rows):
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]

    def line(cells):
        padded = [cells[0].ljust(widths[0])]
        padded += [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:])]
        return "| " + " | ".join(padded) + " |"

    rules = "|" + "|".join(
        "-" * (width + 1) + ("-" if i == 0 else ":") for i, width in enumerate(widths)) + "|"
    return "\n".join([line(heads), rules, *(line(row) for row in rows)])


def loads(all_series, base_name, counts=None):
    """Instructions if they are counted, throughput, its ratio to that of the first contender, CPU time and memory."""
    ours = all_series[0]
    rows = []
    for series in all_series:
        ratio = ratios(ours, series, lambda run: run.throughput)
        cpu = ratios(ours, series, lambda run: run.cpu_seconds / run.requests)
        same = series is ours
        rows.append([
            series.contender,
            *([f"{counts[series.contender]:,.0f}" if series.contender in counts else ""] if counts else []),
            f"{median(series, lambda run: run.throughput):,.0f}",
            "" if same else f"{statistics.median(ratio):.2f}",
            "" if same else f"{min(ratio):.2f}..{max(ratio):.2f}",
            f"{median(series, lambda run: run.cpu_per_10000):.3f}",
            "" if same else f"{statistics.median(cpu):.2f}",
            f"{max(run.peak_bytes for run in series.runs) / 2**20:.0f}",
            max(run.threads for run in series.runs),
        ])
    heads = [base_name, *(["instructions"] if counts else []), "requests/s", "Catena / peer", "min..max", "CPU s / 10,000",
             "Catena CPU / peer CPU", "peak MiB", "threads"]
    return table(heads, rows)
