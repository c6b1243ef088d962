//! Who asks: kept connections that send short GETs, one after another on each.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Kept connections to one server, asked side by side from one thread: each request is sent before any answer is read.
pub struct Asker {
    streams: Vec<TcpStream>,
    operations: u32,
    next: u32,
}

impl Asker {
    /// Connects this often, to ask for operations 1 to `operations` in turn.
    pub fn connect(authority: &str, connections: usize, operations: u32) -> Self {
        let connect = || {
            let stream = TcpStream::connect(authority).expect("a server that listens");
            stream.set_nodelay(true).expect("a TCP connection");
            stream
        };
        Asker {
            streams: (0..connections).map(|_| connect()).collect(),
            operations,
            next: 0,
        }
    }

    /// Asks on each connection once, and gives how long that took.
    pub fn ask_once(&mut self) -> Duration {
        let began = Instant::now();
        for i in 0..self.streams.len() {
            let request = self.request();
            self.streams[i]
                .write_all(request.as_bytes())
                .expect("a server that reads");
        }
        for stream in &mut self.streams {
            read_answer(stream);
        }
        began.elapsed()
    }

    /// The next operation's request.
    fn request(&mut self) -> String {
        self.next = self.next % self.operations + 1;
        format!("GET /op-{}/report HTTP/1.1\r\nhost: localhost\r\n\r\n", self.next)
    }

    /// The statuses of so many calls, asked one after another.
    pub fn statuses(&mut self, calls: u32) -> Vec<u16> {
        let ask = |_| {
            let request = self.request();
            let stream = &mut self.streams[0];
            stream.write_all(request.as_bytes()).expect("a server that reads");
            read_answer(stream)
        };
        (0..calls).map(ask).collect()
    }

    /// Asks so many times.
    pub fn ask_for_count(&mut self, calls: u64) {
        for _ in 0..calls / self.streams.len() as u64 {
            self.ask_once();
        }
    }

    /// Asks for this long, and gives the calls a second.
    pub fn ask_for(&mut self, how_long: Duration) -> f64 {
        let (began, mut calls) = (Instant::now(), 0);
        while began.elapsed() < how_long {
            self.ask_once();
            calls += self.streams.len();
        }
        calls as f64 / began.elapsed().as_secs_f64()
    }
}

/// Reads one answer without a body, and gives its status.
fn read_answer(stream: &mut TcpStream) -> u16 {
    let (mut answer, mut filled) = ([0; 1024], 0);
    while !answer[..filled].ends_with(b"\r\n\r\n") {
        let n = stream.read(&mut answer[filled..]).expect("an answer");
        assert!(n > 0, "the server left");
        filled += n;
    }
    let status = answer.strip_prefix(b"HTTP/1.1 ").and_then(|rest| rest.get(..3));
    let status = status.and_then(|digits| std::str::from_utf8(digits).ok());
    status.and_then(|digits| digits.parse().ok()).expect("an answer")
}
