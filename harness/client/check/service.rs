//! The processes of a service: what each is told, and in which order they stand.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::super::{DriverPlan, FilePlan, ProcessPlan, Ready, ServicePlan, Slot, slots, variable};
use super::{Check, raw};
use crate::source::{Placed, Span, read_file};
use crate::term::Name;

/// How long a process may take to become ready, where its file does not say: a JVM on a busy machine takes half a minute.
const READY_WITHIN: Duration = Duration::from_secs(60);

/// The most processes that one client is made of.
const MOST_PROCESSES: usize = 100;

/// The most files that they are given: the template of each is read, and may be a MiB long.
const MOST_FILES: usize = 100;

impl Check<'_> {
    pub(super) fn service(&self, raw: &raw::Service, passes_trace: bool) -> DriverPlan {
        let processes = self.some_processes(&raw.processes);
        let calls: Vec<Name> = raw.calls.iter().map(|c| Arc::from(c.value.as_str())).collect();
        self.names_once(raw);
        self.entry_last(raw);
        let process = |(i, process)| self.process(process, &processes[..i], &calls);
        DriverPlan::Service(ServicePlan {
            processes: processes.iter().enumerate().map(process).collect(),
            calls,
            passes_trace,
        })
    }

    /// The processes; none where there are too many.
    fn some_processes<'r>(&self, raw: &'r Placed<Vec<raw::Process>>) -> &'r [raw::Process] {
        let processes = &raw.value;
        if processes.is_empty() {
            let label = "at least one process";
            self.problems.say(raw.span, "there is nothing to start", label);
        }
        if processes.len() > MOST_PROCESSES {
            let message = format!("a client is made of at most {MOST_PROCESSES} processes");
            self.problems.say(raw.span, message, "too many");
            return &[];
        }
        let files: usize = processes.iter().map(|p| p.files.iter().len()).sum();
        if files > MOST_FILES {
            let message = format!("a client's processes are given at most {MOST_FILES} files");
            self.problems.say(raw.span, message, "too many");
            return &[];
        }
        processes
    }

    /// Every dependency and every process is a point of its own in the reports.
    fn names_once(&self, raw: &raw::Service) {
        let processes = raw.processes.value.iter().map(|p| &p.name);
        let mut seen = BTreeMap::new();
        for name in raw.calls.iter().chain(processes) {
            self.plain_name(name);
            if let Some(first) = seen.get(&variable(&name.value)) {
                let message = format!("`{}` stands here twice", name.value);
                let problem = self.problems.at(name.span, message);
                let problem = problem.labelled("each process and each dependency needs a name of its own");
                self.problems.add(problem.beside(*first, "the first"));
            } else {
                seen.insert(variable(&name.value), name.span);
            }
        }
    }

    fn plain_name(&self, name: &Placed<String>) {
        let fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.value.is_empty() || !name.value.chars().all(fine) {
            let message = format!("`{}` cannot be the name of a point", name.value);
            self.problems
                .say(name.span, message, "letters, digits, hyphens and underscores");
        }
    }

    fn entry_last(&self, raw: &raw::Service) {
        let (Some(entry), Some(last)) = (&raw.entry, raw.processes.value.last()) else {
            return;
        };
        if entry.value != last.name.value {
            let message = format!(
                "the entry is the process that is listed last, and that is `{}`",
                last.name.value
            );
            let problem = self.problems.at(entry.span, message).labelled("not the last");
            let hint = "processes are started in order, and each is told where those before it are";
            self.problems
                .add(problem.instead(Some(&last.name.value)).hint(hint));
        }
    }

    fn process(&self, raw: &raw::Process, before: &[raw::Process], calls: &[Name]) -> ProcessPlan {
        self.some_command(raw.command.value.is_empty(), raw.command.span);
        let known = Known {
            files: raw.files.names().collect(),
            points: before
                .iter()
                .map(|p| p.name.value.as_str())
                .chain(calls.iter().map(|c| &**c))
                .collect(),
        };
        let text = |written: &Placed<String>| {
            self.known_slots(&written.value, written.span, &known);
            written.value.clone()
        };
        ProcessPlan {
            name: Arc::from(raw.name.value.as_str()),
            role: raw.role,
            command: raw.command.value.iter().map(text).collect(),
            environment: raw
                .environment
                .iter()
                .map(|(name, value)| (name.value.clone(), text(value)))
                .collect(),
            files: raw
                .files
                .iter()
                .filter_map(|(name, template)| self.file(name, template, &known))
                .collect(),
            ready: Ready {
                path: raw.ready.path.as_ref().map(|p| self.path(p)),
                within: raw
                    .ready
                    .within
                    .as_ref()
                    .map_or(READY_WITHIN, |w| self.problems.duration(w)),
            },
        }
    }

    fn path(&self, path: &Placed<String>) -> String {
        let valid = path.value.starts_with('/') && path.value.parse::<http::uri::PathAndQuery>().is_ok();
        if !valid {
            let message = format!("`{}` is not a path", path.value);
            self.problems.say(path.span, message, "such as /health");
        }
        path.value.clone()
    }

    /// A file from its template, which stands in the client's folder.
    fn file(&self, name: &Placed<String>, template: &Placed<String>, known: &Known) -> Option<FilePlan> {
        self.file_name(name);
        let path = self.folder.as_ref().map_or_else(
            || std::path::PathBuf::from(&template.value),
            |folder| folder.join(&template.value),
        );
        match read_file(&path) {
            Ok(read) => {
                self.known_slots(&read.text, template.span, known);
                Some(FilePlan {
                    name: name.value.clone(),
                    template: read.text.clone(),
                })
            }
            Err(problem) => {
                let message = format!(
                    "the template `{}` cannot be used: {}",
                    path.display(),
                    problem.message
                );
                self.problems
                    .say(template.span, message, "seen from this file's folder");
                None
            }
        }
    }

    fn file_name(&self, name: &Placed<String>) {
        let fine = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if !name.value.chars().all(fine) || name.value.trim_start_matches('.').is_empty() {
            let message = format!("`{}` is not the name of a file", name.value);
            self.problems.say(
                name.span,
                message,
                "letters, digits, dots, hyphens and underscores",
            );
        }
    }

    fn known_slots(&self, text: &str, span: Span, known: &Known) {
        // Each once, however often it stands there.
        let there: BTreeSet<Slot> = slots(text).into_iter().map(|(slot, _)| slot).collect();
        for slot in there {
            let (word, name, names) = match &slot {
                Slot::Port | Slot::Tmp => continue,
                Slot::File(name) => ("file", name, &known.files),
                Slot::Url(name) => ("url", name, &known.points),
                Slot::Address(name) => ("address", name, &known.points),
            };
            if names.contains(name.as_str()) {
                continue;
            }
            let expected = match word {
                "file" => "a name under this process's `files`",
                _ => "a name under `calls`, or of a process listed before this one",
            };
            let problem = self.problems.at(span, format!("{{{word}:{name}}} leads nowhere"));
            let near = self.problems.nearest(name, names.iter().copied());
            let hint = near.map(|near| format!("did you mean {{{word}:{near}}}?"));
            let problem = problem.labelled(expected);
            self.problems
                .add(hint.into_iter().fold(problem, |p, hint| p.hint(hint)));
        }
    }
}

/// What a process's slots may name.
struct Known<'a> {
    files: BTreeSet<&'a str>,
    points: BTreeSet<&'a str>,
}
