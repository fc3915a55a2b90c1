"""Types into the programs with a screen, as a user would, and checks what they show and how they end."""

import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback

from pseudo_terminal import Program

BACK_TAB, DOWN, UP = "\x1b[Z", "\x1b[B", "\x1b[A"
ENTER, TAB, BACKSPACE, INTERRUPT, SUSPEND = "\r", "\t", "\x7f", "\x03", "\x1a"

folder = sys.argv[1]
SIGNUP, SEARCH = os.path.join(folder, "signup"), os.path.join(folder, "search")


def sign_up():
    with Program([SIGNUP, "--latency", "200"]) as form:
        form.expect("User name", "( Sign up )", "Ctrl-C")
        form.send("anna")
        form.expect("checking...")
        form.expect("taken", missing=["checking"])
        form.send(BACKSPACE + "e" + TAB + "secret" + ENTER)
        form.expect("available", "at least 8 characters")
        form.send("secret" + BACK_TAB + "12" + TAB)
        form.expect("good", "differs from the password", "( Sign up )")
        form.send("12" + TAB)
        shown = form.expect("[ Sign up ]", missing=["differs"])
        assert "secret" not in shown, "the password is on the screen"
        form.send(ENTER)
        form.expect("signing up...", "( Sign up )")
        form.expect("welcome, anne")
        form.expect_end(0)
        assert "anne has signed up" in form.screen.text(), form.screen.text()


def sign_up_without_connection():
    with Program([SIGNUP, "--latency", "20", "--failing"]) as form:
        form.send("nora" + TAB + "password1" + TAB + "password1" + TAB + ENTER)
        form.expect("cannot be checked: no connection", "( Sign up )")
        form.send(UP + UP + UP + "h")
        form.expect("available", "[ Sign up ]")
        form.send(UP + ENTER)
        form.expect("not signed up: no connection")
        form.send(ENTER)
        form.expect("welcome, norah")
        form.expect_end(0)


def resize():
    with Program([SIGNUP]) as form:
        form.send("x")
        wide = form.expect("at least 3 characters")
        form.resize(14, 40)
        narrow = form.expect("at least 3 characters", "Repeat it")
        assert narrow != wide and max(map(len, narrow.splitlines())) <= 40, narrow
        form.resize(1, 1)
        form.expect("U")
        form.send("yz")
        form.resize(24, 80)
        form.expect("xyz", "available")
        assert form.screen.text() == wide.replace("x__", "xyz").replace("at least 3 characters", "available")
        form.send(INTERRUPT)
        form.expect_end(130)


def search():
    with Program([SEARCH, "--latency", "20"]) as list:
        list.expect("type to search")
        list.send("de")
        list.expect("> debounce", "delay", missing=["filter"])
        list.send("bo")
        list.expect("1 line", "> debounce", missing=["delay"])
        list.send(BACKSPACE * 4 + "flatmap" + DOWN + DOWN + DOWN + UP)
        list.expect("> flatMapLatest")
        list.send(ENTER)
        list.expect_end(0)
        assert "flatMapLatest: makes" in list.screen.text(), list.screen.text()


def search_files():
    with tempfile.NamedTemporaryFile("wb") as file:
        file.write("first\nsecond line\n日本語 wide\n\x1b[31mred\x07\n".encode() + b"\xff\xfe broken\n" + b"long" * 10_000 + b"\n")
        file.flush()
        with Program([SEARCH, "--latency", "0", file.name]) as list:
            list.send("i")
            list.expect("3 lines", "日", "second line", "> first")
            list.send("red")
            list.expect("nothing found")
            list.send("\x15red")
            list.expect("[31mred")
            list.send("\x15broken")
            list.expect("1 line", "broken")
            list.send("\x15long")
            list.expect("1 line", "> longlong")
            list.send(INTERRUPT)
            list.expect_end(130)
    with Program([SEARCH, "/nowhere/to/be/found"]) as list:
        list.expect_end(1)
        assert "No such file" in list.screen.text(), list.screen.text()


def search_offline():
    with Program([SEARCH, "--failing", "--latency", "20"]) as list:
        list.send("zip")
        list.expect("offline, retrying in 1 s")
        list.expect("offline, retrying in 2 s")
        list.expect("1 line", "> zip")
        list.send("x")
        list.expect("offline, retrying in 1 s")
        list.send(INTERRUPT)
        list.expect_end(130)


def paste():
    for program in [SIGNUP, SEARCH]:
        with Program([program]) as form:
            form.expect("Ctrl-C")
            start = time.monotonic()
            form.send("\x1b[200~" + "pasted text\twith\rlines\n" * 4_500 + "\x1b[201~")
            form.expect("pasted text with")
            form.send("\x15end")
            form.expect("end", missing=["pasted"])
            seconds = time.monotonic() - start
            assert seconds < 8, f"a paste of 100 KB took {seconds:.1f} s"
            form.send(bytes(range(0x80, 0x100)) * 40 + b"\x1b[999999999;" + b"9" * 1000 + b"~\x1b[M")
            # Cuts all that is incomplete.
            form.read(0.2)
            form.send("\x15good")
            form.expect("good")
            form.send("pending\r" * 10_000 + INTERRUPT if program == SEARCH else INTERRUPT)
            form.expect_end(130)


def endings():
    for program in [SIGNUP, SEARCH]:
        for number in [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]:
            with Program([program]) as form:
                form.expect("Ctrl-C")
                os.kill(form.pid, number)
                form.expect_end(128 + number)
        with Program([program]) as form:
            form.expect("Ctrl-C")
            form.hang_up()
            form.expect_end(128 + signal.SIGHUP)
    with Program([SIGNUP]) as form:
        form.expect("Ctrl-C")
        form.stop_output()
        form.send("abc")
        os.kill(form.pid, signal.SIGTERM)
        # It ends, but cannot give the screen back.
        form.expect_end(128 + signal.SIGTERM, is_alternate=True)


def suspend():
    """In a shell, which has to find the terminal as it was."""
    with Program(["bash", "--norc", "--noprofile", "-i"], environment={"PS1": "ready> ", "HISTFILE": ""}) as shell:
        shell.expect("ready>")
        shell.send(f"{SIGNUP}\r")
        shell.expect("User name")
        shell.send("keep")
        shell.expect("keep", "available")
        shell.send(SUSPEND)
        shell.expect("Stopped", "ready>", missing=["User name"])
        assert not shell.screen.is_alternate
        # In the background it waits, and leaves the terminal to the shell.
        shell.send("printf '\\033[2J\\033[H'; bg\r")
        shell.expect(f"{SIGNUP} &", "ready>", missing=["User name"])
        shell.send("sleep 0.3; jobs\r")
        shell.expect("Stopped", missing=["User name"])
        shell.send("fg\r")
        shell.expect("keep", "available", "Ctrl-C")
        shell.send("it")
        shell.expect("keepit", "available")
        shell.send(INTERRUPT)
        shell.expect("ready>", missing=["User name"])
        shell.send("echo code $?; exit 0\r")
        shell.expect("code 130")


def stop():
    """By a signal, while another program changes the terminal."""
    with Program([SIGNUP]) as form:
        form.send("x")
        form.expect("at least 3 characters")
        os.kill(form.pid, signal.SIGSTOP)
        form.restore_settings()
        form.screen.clear()
        os.kill(form.pid, signal.SIGCONT)
        form.expect("x", "Repeat it", "Ctrl-C")
        form.send("yz" + TAB)
        form.expect("xyz", "available")
        form.send(INTERRUPT)
        form.expect_end(130)


def without_terminal():
    for program in [SIGNUP, SEARCH]:
        for command in [f"{program} </dev/null", f"{program} | cat; exit ${{PIPESTATUS[0]}}"]:
            with Program(["bash", "-c", command]) as shell:
                shell.expect_end(2)
                assert re.search(r"standard (in|out)put is not a terminal", shell.screen.text()), shell.screen.text()
        help = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
        assert "USAGE: " in help and "Exit codes: " in help, help


def colors():
    for environment, has_colors in [({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)]:
        with Program([SIGNUP], environment=environment) as form:
            form.send("x")
            form.expect("at least 3 characters")
            form.send(INTERRUPT)
            form.expect_end(130)
            assert (b"\x1b[31m" in form.output) == has_colors, form.output


checks = [
    sign_up, sign_up_without_connection, resize, search, search_files, search_offline, paste, endings, suspend, stop,
    without_terminal, colors,
]


def run(check):
    """Returns a sentence, and whether the check passed."""
    name = check.__name__.replace("_", " ")
    start = time.monotonic()
    try:
        check()
    except Exception:
        return f"{name} failed:\n{traceback.format_exc()}", False
    return f"{name}: as it should be ({time.monotonic() - start:.1f} s)", True


chosen = sys.argv[2:]
has_failed = False
# The programs wait more than they compute.
with concurrent.futures.ProcessPoolExecutor(4) as pool:
    for sentence, is_passed in pool.map(run, [check for check in checks if not chosen or check.__name__ in chosen]):
        print(sentence, flush=True)
        has_failed = has_failed or not is_passed
sys.exit(1 if has_failed else 0)
