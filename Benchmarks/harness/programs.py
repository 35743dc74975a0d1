"""The paths and command lines of the programs."""

import os

from contender import Contender

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def ours(name):
    return os.path.join(HERE, ".build/release", name)


def peer(name):
    return os.path.join(HERE, "Peers/.build/release", name)


def catena(name, work, *more, share=1):
    return Contender(name, [ours("catena-load"), work, *more], share)


def async_http_client(name, work, *more, share=1):
    return Contender(name, [peer("async-http-client-load"), work, *more], share)


def urlsession(name, *more, share=1):
    return Contender(name, [ours("urlsession-load"), "get", *more], share)


def curl_loop(name, *more):
    return Contender(name, [ours("curl-loop"), "get", *more])


def is_built(contender):
    return os.path.exists(contender.command[0])
