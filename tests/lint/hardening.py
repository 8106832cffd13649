#!/usr/bin/env python3
"""Looks at the built program and at the libraries of ours that are in it: hardened, without a shell,
without a network, and without other programs but the one that writes MP4 films.  hardening.py PROGRAM LIBRARY..."""
import re
import subprocess
import sys

# Functions that start another program or reach another machine.
FORBIDDEN = re.compile(
    r"(system|popen|exec(l|le|lp|v|ve|vp|vpe|veat)|fexecve|posix_spawnp?|v?fork|clone|wordexp|"
    r"socket|socketpair|connect|bind|listen|accept4?|send(to|msg|mmsg)?|recv(from|msg|mmsg)?|"
    r"getaddrinfo|gethostby\w+|res_\w+)")
# In the program only: Dear ImGui from 1.91 on brings what opens links; app/host takes it away.
DEAR_IMGUIS = {"fork", "execvp"}
# core/platform/posix/child_process.cpp alone, for ffmpeg and the desktop's file dialog.
OURS = {"posix_spawn"}
NETWORK_LIBRARIES = re.compile(
    r"lib(curl|ssl|crypto|gnutls|nss3|nspr4|resolv|nsl|ssh2?|nghttp\w*|soup|neon|cares|ldns|"
    r"unbound|zmq|uv|event|websockets|microhttpd|Qt\w*Network|gio-2|boost_asio)\b")

problems = []


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def require(holds, problem):
    if not holds:
        problems.append(problem)


def undefined(file, *flags):
    symbols = set()
    for line in output("nm", *flags, "--undefined-only", file).splitlines():
        parts = line.split()
        if len(parts) == 2 and parts[0] in ("U", "w"):
            symbols.add(parts[1].split("@")[0])
    return symbols


def forbidden(symbols):
    return sorted(s for s in symbols if FORBIDDEN.fullmatch(s))


def check_program(program):
    dynamic = output("readelf", "--wide", "--dynamic", program)
    segments = output("readelf", "--wide", "--segments", program)
    require(re.search(r"FLAGS_1\).*\bPIE\b", dynamic), "it is no position-independent executable")
    require("GNU_RELRO" in segments, "its relocations stay writable (no GNU_RELRO)")
    require(re.search(r"\(FLAGS_1\).*\bNOW\b", dynamic), "its functions are bound late (no NOW)")
    stack = re.search(r"GNU_STACK.*", segments)
    require(stack and not re.search(r"\bRWE\b", stack.group()), "its stack is executable")
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    require(needed, "it names no library at all")
    network = [name for name in needed if NETWORK_LIBRARIES.match(name)]
    require(not network, f"it links a network library: {network}")
    calls = set(forbidden(undefined(program, "--dynamic"))) - DEAR_IMGUIS - OURS
    require(not calls, f"it imports {sorted(calls)}")


def check_library(library):
    symbols = undefined(library)
    require("__stack_chk_fail" in symbols, f"{library} has no stack protector")
    calls = set(forbidden(symbols)) - (OURS if "core" in library else set())
    require(not calls, f"{library} calls {sorted(calls)}")


def report_others(program):
    """What libraries of others import is theirs: said, not judged."""
    for line in output("ldd", program).splitlines():
        found = re.search(r"=> (/\S+)", line)
        calls = forbidden(undefined(found.group(1), "--dynamic")) if found else []
        if calls:
            print(f"{found.group(1)} imports {', '.join(calls)}")


program, *libraries = sys.argv[1:]
check_program(program)
for library in libraries:
    check_library(library)
report_others(program)
for problem in problems:
    print(f"FAILED: {problem}")
sys.exit(bool(problems) or not libraries)
