#!/usr/bin/env python3
"""Serves the site on the loopback interface; `Tools/site --serve` calls it. With --check it only tries the port."""
import argparse
import functools
import http.server
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *arguments, base, **options):
        self.base = base
        super().__init__(*arguments, **options)

    def translate_path(self, path):
        """The file of a path; no file has an empty name, so a path beside the site is answered with 404."""
        return super().translate_path(path.removeprefix(self.base)) if path.startswith(f"{self.base}/") else ""

    def log_message(self, *_):
        pass


def bound(folder, base_path, port):
    handler = functools.partial(Handler, base=f"/{base_path}" if base_path else "", directory=folder)
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("base_path")
    parser.add_argument("port", type=int)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    try:
        server = bound(arguments.folder, arguments.base_path, arguments.port)
    except OSError as error:
        sys.exit(print(f"Tools/site: port {arguments.port} cannot be used: {error.strerror}", file=sys.stderr) or 2)
    with server:
        if arguments.check: return
        base = f"{arguments.base_path}/" if arguments.base_path else ""
        print(f"Tools/site: http://localhost:{arguments.port}/{base} until Ctrl-C", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
