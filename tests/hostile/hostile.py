"""A client that speaks the jsonl lines and misbehaves in the way that its first argument names.

Without a way of its own, a part of it is a right client: it says hello, makes each call until it is answered with a
success, and reports it.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202e<script>alert(1)</script><img src=x>|`</failure>]]>&amp;\u2028\x00\r\n## owned"


def write(line):
    """One line of any bytes."""
    os.write(1, line if isinstance(line, bytes) else line.encode())


def say(**line):
    write(json.dumps(line) + "\n")


def hello(client="hostile", version="1"):
    sys.stdin.readline()
    say(retrial=1, client=client, version=version)


def orders():
    for line in sys.stdin:
        order = json.loads(line)
        if "cancel" not in order:
            yield order


def connect(order):
    url = urlsplit(order["url"])
    return socket.create_connection((url.hostname, url.port)), url


def request(url, method="GET", headers="", path=None):
    return f"{method} {path or url.path} HTTP/1.1\r\nHost: {url.netloc}\r\n{headers}\r\n".encode("utf-8")


def status(connection):
    head = b""
    while b"\r\n\r\n" not in head:
        got = connection.recv(4096)
        if not got:
            return None
        head += got
    return int(head.split()[1])


def call(order):
    """Calls until there is a success, as a right client does."""
    for _ in range(4):
        connection, url = connect(order)
        with connection:
            connection.sendall(request(url, headers="Connection: close\r\n"))
            got = status(connection)
            while connection.recv(65536):
                pass
            if got == 200:
                return 200
        time.sleep(0.02)
    return 503


def report(order, **more):
    say(**{"op": order["op"], "claim": "ok", "status": 200, **more})


def serve():
    for order in orders():
        call(order)
        report(order)


def sends(*pieces, keep=False, reads=True):
    """Sends bytes of its own to the dependency for each operation, whatever comes of it, and gives up."""
    hello()
    kept = []
    for order in orders():
        connection, url = connect(order)
        connection.settimeout(3)
        try:
            for piece in pieces:
                connection.sendall(piece(url) if callable(piece) else piece)
            if reads:
                while connection.recv(65536):
                    pass
        except OSError:
            pass
        kept.append(connection)
        if not keep:
            connection.close()
        report(order, claim="failed", status=None)
    return kept


def answers(line):
    """Answers op-1 with these bytes, and hangs. Two operations are asked at once, and either may come first."""
    hello()
    next(order for order in orders() if order["op"] == "op-1")
    write(line)
    time.sleep(300)


def escapes(*before):
    subprocess.Popen([*before, "sleep", "300"])
    hello()
    serve()


def dies(number):
    def die():
        hello()
        sys.stdin.readline()
        signal.signal(number, signal.SIG_DFL) if number not in (signal.SIGKILL, signal.SIGSTOP) else None
        os.kill(os.getpid(), number)
        time.sleep(300)
    return die


def hangs():
    hello()
    time.sleep(300)


def hangs_after_a_call():
    hello()
    for order in orders():
        call(order)


def drops_one():
    """Never says anything of its second operation."""
    hello()
    order = next(orders())
    call(order)
    report(order)
    time.sleep(300)


def exits(code):
    return lambda: sys.exit(code)


def ignores_the_end():
    hello()
    serve()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(300)


def floods():
    hello()
    for order in orders():
        connection, url = connect(order)
        try:
            while True:
                connection.sendall(request(url))
                connection.recv(65536)
        except OSError:
            time.sleep(300)


def opens_many():
    hello()
    kept = []
    for order in orders():
        try:
            while len(kept) < 2000:
                kept.append(connect(order)[0])
        except OSError:
            pass
        time.sleep(300)


def never_reads():
    hello()
    kept = []
    for order in orders():
        connection, url = connect(order)
        for _ in range(200):
            connection.sendall(request(url))
        kept.append(connection)
        report(order, claim="failed", status=None)


def drips():
    hello()
    for order in orders():
        connection, url = connect(order)
        try:
            for byte in request(url, headers="X-Slow: " + "a" * 10_000 + "\r\n"):
                connection.sendall(bytes([byte]))
                time.sleep(0.05)
        except OSError:
            pass
        time.sleep(300)


def late():
    hello()
    for order in orders():
        call(order)
        time.sleep(8)
        report(order)


def out_of_order():
    hello()
    all_orders = []
    for order in orders():
        all_orders.append(order)
        if len(all_orders) == 2:
            break
    for order in reversed(all_orders):
        call(order)
        report(order)
    sys.stdin.read()


def hostile_texts():
    hello(HOSTILE, HOSTILE)
    print("talk:", HOSTILE)
    os.write(2, HOSTILE.encode("utf-8", "replace") + b"\n")
    for order in orders():
        url = urlsplit(order["url"])
        path = url.path + "/%1b[2J\"{}[x](javascript:alert(1))**_"
        headers = "Idempotency-Key: <script>alert(1)</script>\u202e|`\r\nX: \t<img src=x>\r\nConnection: close\r\n"
        for path in [path, path + "<script>alert(1)</script>"]:
            connection, _ = connect(order)
            connection.settimeout(2)
            connection.sendall(request(url, method="GET|`", headers=headers, path=path))
            connection.recv(65536)
            connection.close()
        say(op=order["op"], claim="ok", error=HOSTILE, body_sha256=HOSTILE)


def cannot_run():
    hello()
    for order in orders():
        say(op=order["op"], could_not_run=HOSTILE)


def talks_binary():
    write(bytes(range(256)) * 4 + b"\n")
    hello()
    write(bytes(range(256)) * 4 + b"\n")
    serve()


def closes_stdout():
    hello()
    sys.stdin.readline()
    os.close(1)
    time.sleep(300)


def closes_stdin():
    hello()
    order = next(orders())
    os.close(0)
    call(order)
    report(order)
    time.sleep(300)


def eats_memory():
    hello()
    kept = []
    for order in orders():
        kept.append(bytearray(b"x" * 200_000_000))
        call(order)
        report(order)


def shouts():
    """Standard error without an end of a line, faster than anybody wants to read."""
    hello()
    threading.Thread(target=lambda: [os.write(2, b"x" * 65536) for _ in range(2000)], daemon=True).start()
    serve()


def changes_folder():
    os.chdir("/")
    os.rmdir(os.environ["RETRIAL_TMP"])
    hello()
    serve()


def kills_its_group():
    hello()
    sys.stdin.readline()
    os.killpg(0, signal.SIGKILL)


def terminates_the_parents_group():
    hello()
    sys.stdin.readline()
    os.killpg(os.getpgid(os.getppid()), signal.SIGTERM)
    time.sleep(300)


def forks_many():
    for _ in range(100):
        subprocess.Popen(["setsid", "sleep", "300"])
    hello()
    serve()


def calls_for_others():
    """Calls of operations that nobody asked for, or that are another's, and of none."""
    hello()
    for order in orders():
        for path in ["/op-2/thing", "/op-999999/thing", "/op-99999999999999999999/x", "/op-0/x", "/op-/x", "/", "/%00"]:
            connection, url = connect(order)
            with connection:
                connection.sendall(request(url, headers="Connection: close\r\n", path=path))
                status(connection)
        call(order)
        report(order)


def result(**fields):
    return json.dumps({"op": "op-1", "claim": "ok", **fields}) + "\n"


GIGABYTE = 1_000_000_000


def put(headers):
    return lambda url: request(url, method="PUT", headers=headers)


WAYS = {
    "right": lambda: (hello(), serve()),
    "exits-0-before-hello": exits(0),
    "exits-7-before-hello": exits(7),
    "hangs-before-hello": lambda: time.sleep(300),
    "hangs-after-hello": hangs,
    "hangs-after-its-calls": hangs_after_a_call,
    "drops-an-operation": drops_one,
    "ignores-the-end-of-input": ignores_the_end,
    "leaves-a-child-in-its-group": lambda: escapes(),
    "leaves-a-child-in-another-session": lambda: escapes("setsid"),
    "leaves-a-child-without-environment": lambda: escapes("setsid", "env", "-i"),
    "leaves-100-children": forks_many,
    "floods-an-operation": floods,
    "opens-2000-connections": opens_many,
    "never-reads-an-answer": never_reads,
    "drips-its-request": drips,
    "sends-half-a-request": lambda: sends(lambda url: request(url)[:20], keep=True, reads=False) and time.sleep(1),
    "sends-a-body-of-1-gb": lambda: sends(put(f"Content-Length: {GIGABYTE}\r\n"), *[b"x" * 1_000_000] * 1000),
    "promises-a-body-and-leaves": lambda: sends(put(f"Content-Length: {GIGABYTE}\r\n"), b"x", reads=False),
    "sends-100000-headers": lambda: sends(put("".join(f"X-{i}: y\r\n" for i in range(100_000)))),
    "sends-bad-http": lambda: sends(b"\x00\xff nonsense\r\n\r\n" * 10),
    "sends-two-lengths": lambda: sends(put("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), b"0\r\n\r\nGET / HT"),
    "sends-a-chunk-of-2-to-the-64": lambda: sends(put("Transfer-Encoding: chunked\r\n"), b"ffffffffffffffffff\r\nxx"),
    "sends-an-h2-preface": lambda: sends(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9) * 100),
    "sends-a-tls-hello": lambda: sends(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)) * 2),
    "writes-a-line-of-100-mb": lambda: answers(b"{\"" + b"x" * 100_000_000),
    "talks-binary": talks_binary,
    "shouts-on-standard-error": shouts,
    "answers-invalid-utf-8": lambda: answers(b'{"op":"op-1","claim":"ok","error":"\xff\xfe"}\n'),
    "answers-for-an-unknown-operation": lambda: answers(result(op="op-77")),
    "answers-for-no-operation-there-can-be": lambda: answers(result(op="op-99999999999999999999")),
    "answers-twice": lambda: answers(result() * 2),
    "answers-with-100000-brackets": lambda: answers('{"op":' + "[" * 100_000 + "\n"),
    "answers-with-numbers-out-of-bounds": lambda: answers(result(attempts=10**30, status=99999)),
    "answers-with-one-key-twice": lambda: answers('{"op":"op-1","claim":"ok","claim":"failed"}\n'),
    "says-hello-twice": lambda: answers('{"retrial":1,"client":"hostile","version":"1"}\n'),
    "answers-out-of-order": out_of_order,
    "answers-late": late,
    "hostile-texts": hostile_texts,
    "could-not-run-with-hostile-text": cannot_run,
    "closes-its-output-and-lives-on": closes_stdout,
    "closes-its-input-and-lives-on": closes_stdin,
    "eats-memory": eats_memory,
    "changes-its-folder-and-removes-its-own": changes_folder,
    "kills-its-own-group": kills_its_group,
    "terminates-the-parents-group": terminates_the_parents_group,
    "calls-for-others": calls_for_others,
    "stops-itself": dies(signal.SIGSTOP),
    **{f"dies-by-{name}": dies(getattr(signal, name)) for name in
       "SIGHUP SIGINT SIGQUIT SIGILL SIGABRT SIGBUS SIGFPE SIGKILL SIGSEGV SIGPIPE SIGALRM SIGTERM SIGUSR1".split()},
}

WAYS[sys.argv[1]]()
