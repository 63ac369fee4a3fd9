"""A small mail server: accepts every mail and keeps what came."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class MailServer(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self) -> None:
        self.mails: list[str] = []
        self.refuses = False
        super().__init__(("127.0.0.1", 0), MailConversation)

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class MailConversation(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self.say("220 test")
        while line := self.rfile.readline():
            verb = line.split(b" ")[0].strip().upper()
            if verb == b"DATA":
                self.say("354 go on")
                self.keep_mail()
            elif verb == b"QUIT":
                self.say("221 bye")
                break
            elif verb == b"RCPT" and self.server.refuses:
                self.say("550 nobody of that name")
            else:
                self.say("250 ok")

    def keep_mail(self) -> None:
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line.decode())
        self.server.mails.append("".join(lines))
        self.say("250 taken")

    def say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


@contextmanager
def mail_server() -> Iterator[MailServer]:
    with MailServer() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
