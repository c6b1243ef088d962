//! A stack of stand-ins in a client file, and a run of it.

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// One process of a client file.
pub struct Process {
    name: &'static str,
    role: &'static str,
    variables: Vec<(&'static str, String)>,
    ready: &'static str,
}

impl Process {
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.variables.push((name, value.to_string()));
        self
    }

    pub fn ready(self, ready: &'static str) -> Self {
        Process { ready, ..self }
    }

    fn yaml(&self) -> String {
        let program = std::env::current_exe().unwrap();
        let variables: Vec<String> = self
            .variables
            .iter()
            .map(|(n, v)| format!("{n}: {v:?}"))
            .collect();
        format!(
            "      - name: {}\n        role: {}\n        command: [{:?}, --ignored, --exact, 'stand_in::stand_in', --nocapture]\n        \
             environment: {{{}}}\n        ready: {}\n",
            self.name,
            self.role,
            program.display().to_string(),
            variables.join(", "),
            self.ready,
        )
    }
}

/// The service, with so many attempts at its work and at the notification alone.
pub fn loan(middle: u32, wrapper: u32) -> Process {
    let process = Process {
        name: "loan",
        role: "service",
        variables: Vec::new(),
        ready: "{path: /health, within: 30s}",
    };
    process.with("OUTER", middle).with("INNER", wrapper)
}

/// A gateway before it, with so many attempts.
pub fn front(attempts: u32) -> Process {
    let process = Process {
        name: "front",
        role: "gateway",
        variables: Vec::new(),
        ready: "{within: 30s}",
    };
    process.with("OUTER", attempts)
}

/// What a run said.
pub struct Ran {
    pub status: i32,
    pub json: Value,
    pub text: String,
    pub junit: String,
    pub markdown: String,
    /// Where its files are.
    pub folder: TempDir,
}

impl Ran {
    pub fn trial(&self) -> &Value {
        &self.json["trials"][0]
    }

    /// Calls at the gateway, the service, membership and the notification, and effects delivered.
    pub fn counts(&self) -> Vec<u64> {
        let trial = self.trial();
        let n = |value: &Value| value.as_u64().unwrap_or_default();
        let (layers, dependencies) = (&trial["layers"], &trial["dependencies"]);
        vec![
            n(&layers["front"]["calls"]),
            n(&layers["loan"]["calls"]),
            n(&dependencies["membership"]["calls"]),
            n(&dependencies["notification"]["calls"]),
            n(&dependencies["notification"]["delivered"]),
        ]
    }

    /// Findings of this check that are no pass: verdict and sentence.
    pub fn findings(&self, check: &str) -> Vec<(String, String)> {
        let all = self.trial()["findings"].as_array().unwrap();
        let of = all
            .iter()
            .filter(|f| f["check"] == check && f["verdict"] != "pass");
        let text = |v: &Value| v.as_str().unwrap().to_owned();
        of.map(|f| (text(&f["verdict"]), text(&f["because"]))).collect()
    }
}

/// Runs the processes, from the bottom up, through scenarios: a name of a built-in one, or a text.
pub fn run(processes: &[Process], more: &str, scenario: &str) -> Ran {
    let folder = tempfile::Builder::new().prefix("layers-").tempdir().unwrap();
    let processes: String = processes.iter().map(Process::yaml).collect();
    let client = format!(
        "version: 1\nname: stack\ndriver:\n  service:\n    calls: [membership, notification]\n    processes:\n{processes}{more}"
    );
    run_client(folder, &client, scenario)
}

/// A client file whose gateway is given as YAML, before the service.
pub fn client_with_gateway(service: &Process, gateway: &str) -> String {
    let service = service.yaml();
    format!(
        "version: 1\nname: stack\ndriver:\n  service:\n    calls: [membership, notification]\n    processes:\n{service}{gateway}"
    )
}

pub fn run_client(home: TempDir, client: &str, scenario: &str) -> Ran {
    let folder = home.path();
    std::fs::write(folder.join("client.yaml"), client).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_retrial"));
    command
        .current_dir(folder)
        .args(["run", "--client", "client.yaml", "--seed", "7"]);
    for report in [
        "json=r.json",
        "junit=r.xml",
        "markdown=r.md",
        "text=r.txt",
        "evidence=evidence",
    ] {
        command.args(["--report", report]);
    }
    if scenario.contains('\n') {
        std::fs::write(folder.join("own.yaml"), scenario).unwrap();
        command.args(["-s", "own.yaml"]);
    } else {
        command.arg(scenario);
    }
    let output = command
        .timeout(std::time::Duration::from_secs(120))
        .output()
        .unwrap();
    let read = |name: &str| {
        std::fs::read_to_string(folder.join(name))
            .unwrap_or_else(|e| panic!("{name}: {e}\n{}", String::from_utf8_lossy(&output.stderr)))
    };
    Ran {
        status: output.status.code().unwrap(),
        json: serde_json::from_str(&read("r.json")).unwrap(),
        text: read("r.txt"),
        junit: read("r.xml"),
        markdown: read("r.md"),
        folder: home,
    }
}
