"""The server of Tools/site --serve."""
import pathlib
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import serve


class ServeTests(unittest.TestCase):
    def status(self, base, path):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "index.html").write_text("home")
            with serve.bound(folder, base, 0) as server:
                threading.Thread(target=server.serve_forever, daemon=True).start()
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}{path}", timeout=5) as answer:
                        return answer.status
                except urllib.error.HTTPError as error:
                    with error: return error.code
                finally:
                    server.shutdown()

    def test_the_site_is_at_its_base_path(self):
        for base, path, status in (("", "/", 200), ("", "/x", 404), ("swift-rx", "/swift-rx/", 200), ("swift-rx", "/swift-rx/?q", 200),
                                   ("swift-rx", "/", 404), ("swift-rx", "/swift-rx/x", 404), ("swift-rx", "/swift-rxx/", 404)):
            with self.subTest(base=base, path=path):
                self.assertEqual(self.status(base, path), status)


if __name__ == "__main__":
    unittest.main()
