"""Runs contenders in turn and collects their results."""

import statistics

import contender as contenders
from contender import Series
from programs import is_built


def in_turn(members, rounds, command):
    """Runs the contenders in the order A B C, A B C, so that other load on the machine affects all alike.

    `command` returns the command line of a contender. Contenders that are not built are skipped.
    """
    members = [member for member in members if is_built(member) or _report_missing(member)]
    series = {member.name: Series(member.name) for member in members}
    for _ in range(rounds):
        for member in members:
            series[member.name].runs.append(contenders.run(command(member)))
    return list(series.values())


def _report_missing(member):
    print(f"-- {member.name} is skipped: {member.command[0]} does not exist")
    return False


def median(series, figure):
    return statistics.median(figure(run) for run in series.runs)


def ratios(series, base, figure):
    """The ratio in each round, in which the two ran shortly after each other."""
    return [figure(a) / figure(b) for a, b in zip(series.runs, base.runs)]
