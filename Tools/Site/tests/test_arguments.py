"""Bad arguments of Tools/site and Tools/symbol-graphs: exit code 2 before anything is built, and no file of the user is removed."""
import pathlib
import socket
import subprocess
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2]


class ArgumentTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assert_refused(self, tool, *arguments, naming):
        done = subprocess.run([TOOLS / tool, *map(str, arguments)], capture_output=True, text=True, timeout=20, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(naming, done.stderr)
        self.assertTrue(done.stderr.startswith(f"Tools/{tool}: "), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_graphs_replace_no_foreign_files(self):
        diary = self.folder / "RxSwift" / "diary.txt"
        diary.parent.mkdir()
        diary.write_text("today")
        self.assert_refused("symbol-graphs", self.folder, naming="diary.txt")
        self.assertEqual(diary.read_text(), "today")

    def test_graphs_replace_no_file(self):
        file = self.folder / "file"
        file.write_text("today")
        self.assert_refused("symbol-graphs", file, naming="is no folder")
        self.assert_refused("symbol-graphs", file / "below", naming="cannot be made")
        self.assertEqual(file.read_text(), "today")

    def test_graphs_take_one_folder(self):
        self.assert_refused("symbol-graphs", "one", "two", naming="one folder")

    def test_the_site_replaces_no_other_site(self):
        page = self.folder / "index.html"
        page.write_text("my home page")
        self.assert_refused("site", "--output", self.folder, naming="name another folder")
        self.assertEqual(page.read_text(), "my home page")

    def test_the_site_needs_a_folder_that_can_be_made(self):
        (self.folder / "file").touch()
        self.assert_refused("site", "--output", "", naming="--output")
        self.assert_refused("site", "--output", self.folder / "file", naming="is no folder")
        self.assert_refused("site", "--output", self.folder / "file" / "below", naming="cannot be made")

    def test_ports(self):
        for port in ("", "x", "-1", "0", "65536", "99999999999999999999"):
            with self.subTest(port=port):
                self.assert_refused("site", "--serve", port, naming="--serve takes a port")

    def test_a_port_in_use(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            self.assert_refused("site", "--serve", port, naming=f"port {port} cannot be used: Address already in use")

    def test_base_paths(self):
        for path in ("a b", "../x", "a//b", "a?b", "/"):
            with self.subTest(path=path):
                self.assert_refused("site", "--base-path", path, naming="--base-path takes")


if __name__ == "__main__":
    unittest.main()
