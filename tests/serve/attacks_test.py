"""What someone could try against `cyclescope serve`: each gets a clear error, the server lives, nothing is left behind."""

import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import pexpect

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from processes import wait_until_it_handles  # pylint: disable=wrong-import-position
from system import WINDOWS, on_linux  # pylint: disable=wrong-import-position

COMMAND = json.loads(os.environ["CYCLESCOPE_COMMAND"])
X86 = os.environ["CYCLESCOPE_ARCHITECTURE"] == "x86_64"
ENDLESS = "forever: jmp forever" if X86 else "forever: b forever"
# fork() as a system call, again and again.
FORK_BOMB = "1: mov eax, 57; syscall; jmp 1b" if X86 else "1: mov x8, #220; mov x0, #17; svc #0; b 1b"
LOOP = "1: add rax, 1; cmp rax, rcx; jne 1b" if X86 else "1: add x0, x0, #1; cmp x0, x1; b.ne 1b"
# Far more than any answer needs, on a busy machine too.
TIMEOUT_SECONDS = 120

# That which workers come from. Windows has none, and the processes that a program starts under Wine are not its children.
KEPT_PROCESSES = 0 if WINDOWS else 1


class Server:
    """A server under test, and how to talk to it. `before` is a command that starts it, `changes` are of its environment."""

    def __init__(self, *options, before=(), changes=None):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [*before, *COMMAND, "serve", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
            env={**os.environ, **(changes or {})})
        for line in self.process.stdout:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9A-Za-z_-]+)", line)
            if found:
                self.port, self.token = int(found[1]), found[2]
                break
        else:
            raise AssertionError(self.process.stderr.read())
        if not WINDOWS:
            wait_until_it_handles(self.process)

    def headers(self, **changes):
        """Those of the page, with changes; None leaves one out."""
        headers = {
            "Host": f"127.0.0.1:{self.port}",
            "Origin": f"http://127.0.0.1:{self.port}",
            "X-Cyclescope-Token": self.token,
            "Content-Type": "application/json",
        }
        headers.update({name.replace("_", "-"): value for name, value in changes.items()})
        return {name: value for name, value in headers.items() if value is not None}

    def send(self, method, path, body=b"", **changes):
        """The status and text of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            headers = self.headers(**changes)
            headers.setdefault("Content-Length", str(len(body)))
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders()
            try:
                connection.send(body)
            except (BrokenPipeError, ConnectionResetError):
                pass  # it has said what it has to say
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def ask(self, path, **question):
        """The events of an answer, as (name, content)."""
        status, text = self.send("POST", path, json.dumps({"tab": "test", **question}).encode())
        if status != 200:
            raise AssertionError(f"{status}: {text}")
        events = []
        for block in text.split("\n\n"):
            if block:
                name, data = block.split("\n")
                events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
        return events

    def code(self, text, language="assembly", **more):
        """What the server says of a code."""
        code = {"side": "A", "language": language, "text": text, "compiler": self.compiler(), **more}
        return self.ask("/api/code", codes=[code])

    def host(self):
        """What it says of itself."""
        return dict(self.ask("/api/host"))["host"]

    def compiler(self):
        """One of its compilers, or none."""
        compilers = self.host()["compilers"]
        return compilers[0]["id"] if compilers else ""

    def end(self):
        """Ctrl-C, and what is left of it then. (That of Windows comes from a console: tests/cli/windows_test.py.)"""
        self.process.send_signal(signal.SIGKILL if WINDOWS else signal.SIGINT)
        out, err = self.process.communicate(timeout=TIMEOUT_SECONDS)
        return 0 if WINDOWS else self.process.returncode, out, err


def children_of(pid):
    """All processes that a process has started, and theirs."""
    found = []
    try:
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text(encoding="ascii").split():
                found += [int(child), *children_of(int(child))]
    except (FileNotFoundError, ProcessLookupError):
        pass
    return found


def is_running(pid):
    """Whether that process is still there, and is more than an entry that no one has asked for yet."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def wait_for(condition):
    """Until it holds."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("it does not come")
        time.sleep(0.05)


def trouble_of(events):
    """What the page shows as trouble."""
    return dict(events)["assembly"].get("trouble", "")


class ServeTest(unittest.TestCase):
    """One server for all: it has to survive each of these."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        cls.temporary = pathlib.Path(cls.folder.name) / "temporary"
        cls.temporary.mkdir()
        cls.server = Server(changes={"TMPDIR": str(cls.temporary)})
        cls.server.code(LOOP)
        time.sleep(1)  # until its connection is closed
        cls.files_at_first = cls.open_files()
        cls.mounts_at_first = cls.mounts()

    @classmethod
    def tearDownClass(cls):
        code, _, err = cls.server.end()
        cls.folder.cleanup()
        assert code == 0, err

    def tearDown(self):
        """It lives, answers, and has nothing left: no processes but that which workers come from, no files, no mounts."""
        self.assertIsNone(self.server.process.poll())
        self.assertEqual(self.server.host()["version"].split()[0], "cyclescope")
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while len(children_of(self.server.process.pid)) > KEPT_PROCESSES and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(len(children_of(self.server.process.pid)), KEPT_PROCESSES)
        # Connections of those that hung up end a second later.
        wait_for(lambda: self.open_files() <= self.files_at_first + 8)
        # Wine keeps a folder of its own there.
        left = [each for each in self.temporary.iterdir() if not (WINDOWS and each.name.startswith("wine-"))]
        self.assertEqual(left, [])
        self.assertEqual(self.mounts(), self.mounts_at_first)

    @classmethod
    def mounts(cls):
        """What is mounted where, as it sees it."""
        return pathlib.Path(f"/proc/{cls.server.process.pid}/mounts").read_text(encoding="utf-8")

    @classmethod
    def open_files(cls):
        """How many it has open."""
        return len(os.listdir(f"/proc/{cls.server.process.pid}/fd"))

    def needs_compiler(self):
        """C is refused where the system gives no namespaces; then it says so."""
        host = self.server.host()
        if not host["compilers"]:
            self.assertTrue(host["why_no_compiler"])
            self.skipTest(host["why_no_compiler"])

    def assert_refused(self, answer, status, words):
        """With that status, and a sentence."""
        self.assertEqual(answer[0], status, answer)
        self.assertIn(words, json.loads(answer[1])["message"])

    @unittest.skipUnless(WINDOWS, "about Windows")
    def test_c_is_refused_with_the_reason(self):
        host = self.server.host()
        self.assertEqual(host["compilers"], [])
        self.assertIn("Linux", host["why_no_compiler"])
        self.assertIn(host["why_no_compiler"], trouble_of(self.server.code("int x;", "c")))

    # ---- Who asks

    def test_a_loop_is_measured(self):
        events = self.server.code(LOOP)
        rows = [content["blocks"][0] for name, content in events if name == "measured"]
        self.assertTrue(rows, events)
        self.assertIn(rows[-1]["status"], {"measured", "disturbed"})
        self.assertEqual(events[-1][0], "done")

    def test_missing_and_wrong_tokens(self):
        for token in (None, "", "0" * 32, self.server.token[:-1], self.server.token + "0"):
            answer = self.server.send("POST", "/api/host", b"{}", X_Cyclescope_Token=token)
            self.assert_refused(answer, 403, "token")
        self.assertEqual(self.server.send("GET", "/")[0], 403)
        self.assertEqual(self.server.send("GET", f"/?token={'0' * 32}")[0], 403)
        status, page = self.server.send("GET", f"/?token={self.server.token}", Origin=None)
        self.assertEqual(status, 200)
        self.assertNotIn(self.server.token, page)

    def test_pages_of_others(self):
        for origin in ("https://evil.example", "null", f"http://127.0.0.1:{self.server.port + 1}"):
            self.assert_refused(self.server.send("POST", "/api/host", b"{}", Origin=origin), 403, "other web pages")
        answer = self.server.send("POST", "/api/host", b"{}", Origin=None, Sec_Fetch_Site="cross-site")
        self.assert_refused(answer, 403, "other web pages")
        # What a form of another page can send without asking first.
        answer = self.server.send("POST", "/api/host", b"{}", Content_Type="text/plain")
        self.assert_refused(answer, 415, "JSON")

    def test_a_name_that_was_made_to_lead_here(self):
        host = f"evil.example:{self.server.port}"
        answer = self.server.send("POST", "/api/host", b"{}", Host=host, Origin=f"http://{host}")
        self.assert_refused(answer, 421, "its own address")

    def test_nothing_of_the_file_system_is_served(self):
        for path in ("/etc/passwd", "//etc/passwd", "/../../etc/passwd", "/%2e%2e/etc/passwd", "/api/../etc/passwd"):
            self.assertEqual(self.server.send("POST", path, b"{}")[0], 404, path)
            self.assertIn(self.server.send("GET", f"{path}?token={self.server.token}")[0], {403, 405}, path)

    # ---- Too much

    def test_a_body_of_100_mb(self):
        answer = self.server.send("POST", "/api/code", b"x" * 100_000_000)
        self.assert_refused(answer, 413, "at most")
        # Without its size said before.
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=TIMEOUT_SECONDS)
        with self.assertRaises(OSError):
            connection.request("POST", "/api/code", iter([b"x" * 1_000_000] * 100), self.server.headers(),
                               encode_chunked=True)
            self.assertEqual(connection.getresponse().status, 413)
            raise ConnectionResetError
        connection.close()

    def test_a_header_without_end(self):
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=TIMEOUT_SECONDS) as client:
            client.sendall(b"GET / HTTP/1.1\r\n")
            answer = b""
            try:
                for _ in range(100):
                    client.sendall(b"X-Long: " + b"x" * 1000 + b"\r\n")
                answer = client.recv(100)
            except OSError:
                return  # it hung up
            self.assertIn(b"431", answer)

    def test_a_thousand_requests_at_once(self):
        def one(_):
            try:
                return self.server.send("POST", "/api/host", b'{"tab":"many"}')[0]
            except (OSError, http.client.HTTPException):
                return 0  # turned away
        begin = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(200) as pool:
            statuses = list(pool.map(one, range(1000)))
        seconds = time.monotonic() - begin
        self.assertTrue({200} <= set(statuses) <= {0, 200, 429, 503}, set(statuses))
        self.assertLessEqual(statuses.count(200), 100 + 30 * seconds + 1)
        time.sleep(4)  # until the rate is used up no more

    def test_what_is_no_question(self):
        for body in (b"", b"[", b"{}", b"\xff\xfe", b'{"tab":"t","codes":[{}]}', b"[" * 100_000):
            self.assertEqual(self.server.send("POST", "/api/code", body)[0], 400, body[:50])

    # ---- Code

    def test_an_endless_loop(self):
        events = self.server.code(ENDLESS)
        rows = [content["blocks"][0] for name, content in events if name == "measured"]
        self.assertTrue(rows and rows[-1]["reason"] or dict(events).get("error"), events)

    def test_a_fork_bomb_in_assembly(self):
        events = self.server.code(FORK_BOMB)
        told = json.dumps(events)
        # Without a filter it is not run at all.
        self.assertIn("enters the kernel" if WINDOWS else "system call", told)

    def test_files_in_assembly(self):
        for text in ('.incbin "/etc/passwd"', 'nop; .incbin "/etc/passwd"', '.include "/etc/passwd"',
                     'nop\n.include "/etc/passwd"'):
            self.assertNotIn("root:", json.dumps(self.server.code(text)), text)

    def test_files_in_c(self):
        self.needs_compiler()
        for text in ('#include "/etc/passwd"', "#include </etc/shadow>", '#include "/proc/self/environ"',
                     'asm(".incbin \\"/etc/passwd\\"");\nint f(int n){int s=0;for(int i=0;i<n;++i)s+=i*s;return s;}',
                     '#include "/dev/zero"', '#include "/dev/stdin"', '#include "/proc/1/environ"',
                     '#include "/tmp/../etc/passwd"', 'char text[] = {\n#embed "/etc/passwd"\n};'):
            told = json.dumps(self.server.code(text, "c", flags=["-O1"]))
            self.assertNotIn("root:", told, text)
            self.assertNotIn("PATH=", told, text)

    def test_flags_that_run_or_write_something(self):
        self.needs_compiler()
        target = pathlib.Path(self.folder.name) / "written"
        for flag in (f"-o{target}", "-wrapper", "-fplugin=/tmp/x.so", "@/etc/passwd", "-B/tmp", "; touch /tmp/x", "/etc/passwd"):
            trouble = trouble_of(self.server.code("int x;", "c", flags=[flag]))
            self.assertIn("not allowed here", trouble, flag)
        self.assertFalse(target.exists())

    def test_flags_for_code_that_is_not_measured(self):
        self.needs_compiler()
        for flag in ("-m32", "-flto", "-fsyntax-only"):
            self.assertIn("64 bits", trouble_of(self.server.code("int x;", "c", flags=[flag])), flag)

    def test_a_source_that_includes_without_end(self):
        self.needs_compiler()
        # A text that includes itself twice: it has no name by which it could.
        for text in ('#include "/dev/fd/0"\n' * 2, '#include __FILE__\n' * 2, '#include "/proc/self/fd/0"\n' * 2):
            self.assertTrue(trouble_of(self.server.code(text, "c")), text)
        # What there is to read are the system's programs: tens of thousands of errors for each, or long lines.
        self.assertTrue(trouble_of(self.server.code('#include "/usr/bin/env"\n' * 20_000, "c")))

    def test_endless_compiling(self):
        self.needs_compiler()
        templates = ("template<int N> struct A { static const int value = A<N-1>::value + A<N-2>::value * N; };\n"
                     "template<int N, int M> struct B { typename B<N-1, M>::type x; typename B<N, M-1>::type y;"
                     " typedef B type; };\nB<100000, 100000> b;\n")
        loop = "constexpr long f(long n) { long s = 0; for (long i = 0; i < n; ++i) s += i; return s; }\n" \
               "constexpr long x = f(1L << 60);\n"
        for text, flags in ((templates, ["-ftemplate-depth=1000000"]),
                            (loop, ["-fconstexpr-ops-limit=9223372036854775807",
                                    "-fconstexpr-loop-limit=2147483647"])):
            events = self.server.code(text, "c++", flags=flags)
            self.assertTrue(trouble_of(events), events)

    def test_a_compiler_that_writes_without_end(self):
        self.needs_compiler()
        text = "\n".join(f"#define A{i + 1} A{i} A{i}" for i in range(40)).replace("A0", "int x;", 1) + "\nA40\n"
        self.assertTrue(trouble_of(self.server.code(text, "c")))

    # ---- Wishes that change

    def test_a_newer_question_of_a_tab_ends_the_older_one(self):
        body = json.dumps({"tab": "typing", "codes": [
            {"side": "A", "language": "assembly", "text": LOOP}]}).encode()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: self.server.send("POST", "/api/code", body), range(8)))
        self.assertEqual({status for status, _ in answers}, {200})
        self.assertTrue(any("event: measured" in text for _, text in answers))
        status, _ = self.server.send("POST", "/api/cancel", b'{"tab":"typing"}')
        self.assertEqual(status, 200)

    def test_one_who_hangs_up(self):
        body = json.dumps({"tab": "gone", "codes": [
            {"side": "A", "language": "assembly", "text": LOOP}]}).encode()
        head = "".join(f"{name}: {value}\r\n" for name, value in self.server.headers(
            Content_Length=str(len(body))).items())
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", self.server.port)) as client:
                client.sendall(f"POST /api/code HTTP/1.1\r\n{head}\r\n".encode() + body)


class CommandTest(unittest.TestCase):
    """How it begins and ends."""

    def run_it(self, *options):
        return subprocess.run([*COMMAND, "serve", *options], capture_output=True, encoding="utf-8",
                              timeout=TIMEOUT_SECONDS, check=False)

    def test_listening_to_others_needs_a_token(self):
        ended = self.run_it("--listen", "0.0.0.0")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("--token", ended.stderr)
        self.assertEqual(self.run_it("--listen", "0.0.0.0", "--token", "short").returncode, 2)
        self.assertEqual(self.run_it("--listen", "evil.example", "--token", "x" * 32).returncode, 2)

    def test_who_listens_to_others_is_warned(self):
        secret = "0123456789abcdef"
        process = subprocess.Popen([*COMMAND, "serve", "--listen", "0.0.0.0", "--token", secret],  # pylint: disable=consider-using-with
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        try:
            self.assertIn("without encryption", process.stderr.readline())
            for line in process.stdout:
                found = re.search(r"Open http://0\.0\.0\.0:(\d+)/\?token=" + secret, line)
                if found:
                    break
            port = int(found[1])
            for host, status in ((f"127.0.0.1:{port}", 200), (f"evil.example:{port}", 421)):
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
                connection.request("GET", f"/?token={secret}", headers={"Host": host})
                self.assertEqual(connection.getresponse().status, status)
                connection.close()
            wait_until_it_handles(process)
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=TIMEOUT_SECONDS)
        self.assertEqual(process.returncode, 0)

    def test_a_port_that_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            ended = self.run_it("--port", str(other.getsockname()[1]))
        self.assertEqual(ended.returncode, 1)
        self.assertIn("cannot listen", ended.stderr)

    def test_a_result_that_is_no_model(self):
        made = subprocess.run([*COMMAND, "instruction", LOOP.split(";")[0].split(": ")[1], "--dry-run", "--json"],
                              capture_output=True, check=True)
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            file.write(made.stdout)
            file.flush()
            ended = self.run_it("--machine", file.name)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("make a model", ended.stderr)

    @on_linux
    def test_ctrl_c_ends_it_in_the_middle_of_a_question(self):
        server = Server()
        body = json.dumps({"tab": "t", "codes": [{"side": "A", "language": "assembly", "text": ENDLESS}]}).encode()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            asked = pool.submit(server.send, "POST", "/api/code", body)
            time.sleep(1)
            code, _, err = server.end()
            self.assertEqual(code, 0, err)
            try:
                asked.result()
            except (OSError, http.client.HTTPException):
                pass

    @on_linux
    def test_a_desktop_gets_the_page_and_a_script_does_not(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            given = folder / "given"
            opener = folder / "xdg-open"
            opener.write_text(f'#!/bin/sh\ncat "$1" > "{folder}/new"\nmv "{folder}/new" "{given}"\n', encoding="ascii")
            opener.chmod(0o700)
            desktop = {**os.environ, "DISPLAY": ":0", "XDG_RUNTIME_DIR": name, "PATH": f"{name}:{os.environ['PATH']}"}
            desktop.pop("SSH_CONNECTION", None)
            for options, changes, is_opened in (([], {}, True), (["--no-open"], {}, False),
                                                ([], {"SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22"}, False)):
                terminal = pexpect.spawn(COMMAND[0], [*COMMAND[1:], "serve", *options], env={**desktop, **changes}, encoding="utf-8",
                                         timeout=TIMEOUT_SECONDS, dimensions=(50, 200))
                terminal.expect(r"Open (http://\S+)")
                address = terminal.match[1]
                terminal.expect("Ctrl-C ends it")
                if is_opened:
                    wait_for(given.exists)
                    self.assertIn(address, given.read_text(encoding="utf-8"))
                    given.unlink()
                terminal.sendintr()
                terminal.expect(pexpect.EOF)
                terminal.close()
                self.assertEqual(terminal.exitstatus, 0)
                # The file with the secret is gone.
                self.assertEqual([each.name for each in folder.iterdir()], ["xdg-open"], options)
            self.assertEqual(subprocess.run([*COMMAND, "serve", "--open", "--no-open"], capture_output=True,
                                            check=False).returncode, 2)

    @on_linux
    def test_one_that_is_killed_leaves_nothing_behind(self):
        endless = "constexpr long f(long n) { long s = 0; for (long i = 0; i < n; ++i) s += i; return s; }\n" \
                  "constexpr long x = f(1L << 60);\n"
        flags = ["-fconstexpr-ops-limit=9223372036854775807", "-fconstexpr-loop-limit=2147483647"]
        for text, language in ((ENDLESS, "assembly"), (endless, "c++")):
            server = Server()
            compiler = server.compiler()
            if language != "assembly" and not compiler:
                server.end()
                continue
            at_first = len(children_of(server.process.pid))
            body = json.dumps({"tab": "t", "codes": [{"side": "A", "language": language, "text": text,
                                                      "compiler": compiler, "flags": flags}]}).encode()
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                asked = pool.submit(server.send, "POST", "/api/code", body)
                wait_for(lambda: len(children_of(server.process.pid)) > at_first)  # pylint: disable=cell-var-from-loop
                children = children_of(server.process.pid)
                server.process.kill()
                server.process.communicate()
                self.assertIsNotNone(asked.exception() or asked.result())
            wait_for(lambda: not any(is_running(child) for child in children))  # pylint: disable=cell-var-from-loop

    def ask_both(self, server):
        """Whether it takes C; assembly it has to take."""
        try:
            events = server.code(LOOP)
            rows = [content["blocks"][0] for name, content in events if name == "measured"]
            self.assertTrue(rows and rows[-1]["status"] in {"measured", "disturbed"}, events)
            source = "long f(long n, long x) { for (long i = 0; i < n; ++i) x = x * i + 1; return x; }"
            trouble = trouble_of(server.code(source, "c", flags=["-O2"]))
            reason = server.host().get("why_no_compiler", "")
            self.assertEqual(bool(trouble), bool(reason), trouble)
            self.assertIn(reason, trouble)
            return not trouble
        finally:
            code, _, err = server.end()
            self.assertEqual(code, 0, err)

    @on_linux
    def test_where_namespaces_are_forbidden_c_is_refused_and_assembly_is_measured(self):
        # The limit holds for what is in a namespace of its own, as this is.
        forbid = ["unshare", "--user", "--map-root-user", "sh", "-c",
                  'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"', "sh"]
        if subprocess.run([*forbid, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no namespaces here, so that they cannot be forbidden")
        self.assertFalse(self.ask_both(Server(before=forbid)))

    @on_linux
    def test_a_user_without_privileges(self):
        unprivileged = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        if subprocess.run([*unprivileged, *COMMAND, "--version"], capture_output=True, check=False).returncode != 0:
            self.skipTest("not run by root, or no other user can reach the program")
        of_unprivileged = [*unprivileged, "unshare", "--user", "true"]
        may_confine = subprocess.run(of_unprivileged, capture_output=True, check=False).returncode == 0
        compilers = Server()
        has_compiler = bool(compilers.compiler())
        compilers.end()
        self.assertEqual(self.ask_both(Server(before=unprivileged)), may_confine and has_compiler)

    def test_two_servers_have_two_tokens(self):
        first, second = Server(), Server()
        self.assertNotEqual(first.token, second.token)
        self.assertNotEqual(first.port, second.port)
        for server in (first, second):
            self.assertEqual(server.end()[0], 0)


if __name__ == "__main__":
    unittest.main()
