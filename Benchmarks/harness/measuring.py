"""Runs contenders in turn and keeps what they have shown."""

import statistics

import contender as contenders
from contender import Series
from programs import is_there


def in_turn(members, rounds, command):
    """A B C, A B C, ...: whatever else the machine does weighs on all alike.

    `command` makes a contender's command line. Those that have not been built are left out.
    """
    members = [member for member in members if is_there(member) or _miss(member)]
    series = {member.name: Series(member.name) for member in members}
    for _ in range(rounds):
        for member in members:
            series[member.name].runs.append(contenders.run(command(member)))
    return list(series.values())


def _miss(member):
    print(f"-- {member.name} is left out: {member.command[0]} is not there")
    return False


def median(series, figure):
    return statistics.median(figure(run) for run in series.runs)


def ratios(series, base, figure):
    """Round by round: the two ran one soon after the other."""
    return [figure(a) / figure(b) for a, b in zip(series.runs, base.runs)]
