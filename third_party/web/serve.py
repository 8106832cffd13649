#!/usr/bin/env python3
"""Serves a folder on this machine alone. Usage: serve.py FOLDER PORT [--isolated]

--isolated sends what a browser asks for before it lets a page have threads that share memory.
"""
import functools
import http.server
import sys

ISOLATED = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}


class Handler(http.server.SimpleHTTPRequestHandler):
    headers_sent = {}

    def end_headers(self):
        for name, value in self.headers_sent.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_):
        pass


folder, port = sys.argv[1:3]
Handler.headers_sent = ISOLATED if "--isolated" in sys.argv else {}
handler = functools.partial(Handler, directory=folder)
http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), handler).serve_forever()
