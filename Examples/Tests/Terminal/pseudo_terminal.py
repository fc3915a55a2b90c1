"""A program on a pseudo-terminal, and the screen that it draws."""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
import unicodedata

SEQUENCE = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])")


class Screen:
    """A terminal that knows the sequences which the programs use. Any other sequence is an error."""

    def __init__(self, rows, columns):
        self.is_alternate = False
        self.has_cursor = True
        self.pending = ""
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.clear()

    def clear(self):
        self.cells = [[" "] * self.columns for _ in range(self.rows)]
        self.row = self.column = 0

    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]

    def text(self):
        return "\n".join(self.lines()).rstrip()

    def write(self, text):
        text = self.pending + text
        self.pending = ""
        position = 0
        while position < len(text):
            character = text[position]
            if character == "\x1b":
                match = SEQUENCE.match(text, position)
                if match:
                    self.control(match.group(1), match.group(2))
                    position = match.end()
                    continue
                if len(text) - position < 16:
                    self.pending = text[position:]
                    return
                raise AssertionError(f"unknown sequence {text[position:position + 16]!r}")
            self.put(character)
            position += 1

    def control(self, parameters, final):
        if final == "H":
            numbers = [int(number) for number in parameters.split(";")] if parameters else [1, 1]
            self.row, self.column = numbers[0] - 1, numbers[1] - 1
            assert 0 <= self.column, parameters
        elif final == "K" and not parameters:
            for column in range(self.column, self.columns):
                self.cells[min(self.row, self.rows - 1)][column] = " "
        elif final == "J" and parameters == "2":
            self.clear()
        elif final == "m":
            assert all(n in ("", "1", "2", "7", "31", "32", "33") for n in parameters.split(";")), parameters
        elif final in "hl" and parameters in ("?1049", "?2004", "?7", "?25"):
            if parameters == "?1049":
                self.is_alternate = final == "h"
                self.clear()
            if parameters == "?25":
                self.has_cursor = final == "h"
        else:
            raise AssertionError(f"unknown sequence ESC [ {parameters} {final}")

    def put(self, character):
        if character == "\n":
            self.row = min(self.row + 1, self.rows - 1)
        elif character == "\r":
            self.column = 0
        elif unicodedata.category(character) == "Cc":
            assert not self.is_alternate, f"control character {character!r} on the screen"
        elif not unicodedata.combining(character):
            width = 2 if unicodedata.east_asian_width(character) in "WF" else 1
            # Between two sizes a frame of the former size may come.
            if self.row < self.rows and self.column + width <= self.columns:
                self.cells[self.row][self.column] = character
            self.column = min(self.column + width, self.columns)


class Program:
    """A program whose terminal is a pseudo-terminal of this process."""

    def __init__(self, command, rows=24, columns=80, environment=None):
        self.screen = Screen(rows, columns)
        self.output = b""
        self.command = command
        self.exit_code = None
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        ready, go = os.pipe()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.close(go)
            os.read(ready, 1)
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            try:
                os.execvpe(command[0], command, {**os.environ, "TERM": "xterm", **(environment or {})})
            finally:
                # Without the program, the copy of this process ends.
                os._exit(127)
        os.close(ready)
        self.set_size(rows, columns)
        self.settings = termios.tcgetattr(self.terminal)
        os.close(go)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.exit_code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        if self.terminal is not None:
            os.close(self.terminal)

    def set_size(self, rows, columns):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, rows, columns):
        self.read(0)
        self.screen.resize(rows, columns)
        self.set_size(rows, columns)

    def read(self, seconds):
        """Shows what the program writes, and waits for it at most so long."""
        readable, _, _ = select.select([self.terminal], [], [], seconds)
        if not readable:
            return False
        try:
            data = os.read(self.terminal, 65536)
        except OSError:
            data = b""
        if not data:
            return False
        self.output += data
        self.screen.write(self.decoder.decode(data))
        return True

    def send(self, text):
        """Types a text, which may be larger than the terminal's buffer."""
        data = text if isinstance(text, bytes) else text.encode()
        while data:
            _, writable, _ = select.select([], [self.terminal], [], 0.02)
            if writable:
                data = data[os.write(self.terminal, data[:1024]):]
            self.read(0)

    def expect(self, *texts, seconds=10, missing=()):
        """Waits until the screen shows all the texts, and none of those that are to be missing."""
        end = time.monotonic() + seconds
        while True:
            shown = self.screen.text()
            if all(text in shown for text in texts) and not any(text in shown for text in missing):
                return shown
            if time.monotonic() > end or self.has_ended():
                raise AssertionError(f"{self.command} does not show {texts} without {missing}, but:\n{shown}")
            self.read(0.05)

    def has_ended(self):
        if self.exit_code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.terminal is not None and self.read(0.1):
                    pass
                self.exit_code = os.waitstatus_to_exitcode(status)
        return self.exit_code is not None

    def restore_settings(self):
        """Gives the terminal the settings that it had in the beginning."""
        termios.tcsetattr(self.terminal, termios.TCSANOW, self.settings)

    def stop_output(self):
        """Lets the terminal take no more output, as after Ctrl-S."""
        terminal = os.open(f"/proc/{self.pid}/fd/0", os.O_RDWR | os.O_NOCTTY)
        termios.tcflow(terminal, termios.TCOOFF)
        os.close(terminal)

    def expect_end(self, code, seconds=5, is_alternate=False):
        """Waits until the program has ended, with an exit code and with the terminal as before."""
        end = time.monotonic() + seconds
        while not self.has_ended():
            if time.monotonic() > end:
                raise AssertionError(f"{self.command} does not end; the screen:\n{self.screen.text()}")
            if self.terminal is not None:
                self.read(0.02)
            else:
                time.sleep(0.02)
        assert self.exit_code == code, f"{self.command}: exit code {self.exit_code}, not {code}:\n{self.screen.text()}"
        if self.terminal is None:
            return
        assert self.screen.is_alternate == is_alternate, "the screen was not given back"
        assert self.screen.has_cursor, "the cursor was not given back"
        assert termios.tcgetattr(self.terminal) == self.settings, "the settings were not restored"

    def hang_up(self):
        os.close(self.terminal)
        self.terminal = None
