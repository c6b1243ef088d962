//! Where reports go: `--report FORMAT=FILE`.

use std::fs;
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::output_file::OutputFile;
use super::print;
use crate::report::{self, Colour, SuiteReport};
use crate::suite::{self, Exit};

/// A format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// For people.
    Text,
    /// For tools.
    Json,
    /// For build servers.
    Junit,
    /// For the summary of a job.
    Markdown,
}

/// A report that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    /// To standard output.
    Stdout(Format),
    /// To a file.
    File(Format, PathBuf),
    /// Every trial's evidence, to a folder.
    Evidence(PathBuf),
}

impl Wanted {
    /// Parses `FORMAT=FILE`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (format, file) = text
            .split_once('=')
            .ok_or("it is written FORMAT=FILE, such as json=report.json")?;
        if file.is_empty() {
            return Err(format!(
                "`{format}=` names no file; `{format}=-` is standard output"
            ));
        }
        let format = match format {
            "text" => Format::Text,
            "json" => Format::Json,
            "junit" => Format::Junit,
            "markdown" => Format::Markdown,
            "evidence" if file == "-" => return Err("evidence goes to a folder, one file a trial".to_owned()),
            "evidence" => return Ok(Wanted::Evidence(file.into())),
            "html" => return Err("html reports are planned and not written yet".to_owned()),
            _ => return Err("the formats are text, json, junit, markdown and evidence".to_owned()),
        };
        Ok(match file {
            "-" => Wanted::Stdout(format),
            file => Wanted::File(format, file.into()),
        })
    }
}

/// Every report's destination, opened before anything runs: a path that cannot be written is said at once.
pub(super) struct Destinations {
    stdout: Option<Format>,
    files: Vec<(Format, OutputFile)>,
    evidence: Option<PathBuf>,
}

impl Destinations {
    /// Opens what was asked for; text goes to standard output unless something else does.
    pub(super) fn open(wanted: &[Wanted]) -> Result<Self, Failure> {
        let mut opened = Destinations {
            stdout: None,
            files: Vec::new(),
            evidence: None,
        };
        for one in wanted {
            opened.add(one)?;
        }
        let text_elsewhere = opened.files.iter().any(|(format, _)| *format == Format::Text);
        if opened.stdout.is_none() && !text_elsewhere {
            opened.stdout = Some(Format::Text);
        }
        Ok(opened)
    }

    /// The folder for evidence, if it was asked for; it exists.
    pub(super) fn evidence(&self) -> Option<&Path> {
        self.evidence.as_deref()
    }

    /// Writes every report, also where one of them cannot be written; then the first error is told.
    pub(super) fn write(self, report: &SuiteReport) -> Result<Exit, Failure> {
        let exit = suite::exit(report);
        self.write_each(&|format, colour| rendered(format, report, colour))?;
        Ok(exit)
    }

    /// Writes every report of that making.
    pub(super) fn write_each(self, rendered: &Rendering<'_>) -> Result<(), Failure> {
        let mut failure = None;
        for (format, file) in self.files {
            failure = failure.or(write_file(format, file, rendered).err());
        }
        let printed = self
            .stdout
            .map_or(Ok(()), |format| print_report(format, rendered));
        failure.map_or(printed, Err)
    }

    fn add(&mut self, wanted: &Wanted) -> Result<(), Failure> {
        match wanted {
            Wanted::Stdout(format) => {
                if self.stdout.replace(*format).is_some() {
                    let hint = Some("name a file for one of them");
                    return Err(Failure::usage("two reports cannot share standard output", hint));
                }
            }
            Wanted::File(format, path) => {
                let file = OutputFile::open(path).map_err(|e| cannot_write(path, &e, Exit::Usage))?;
                if self.files.iter().any(|(_, other)| other.is_same_as(&file)) {
                    let sentence = format!("two reports cannot share {}", path.display());
                    return Err(Failure::usage(
                        &sentence,
                        Some("name another file for one of them"),
                    ));
                }
                self.files.push((*format, file));
            }
            Wanted::Evidence(folder) => {
                fs::create_dir_all(folder).map_err(|e| cannot_write(folder, &e, Exit::Usage))?;
                if self.evidence.replace(folder.clone()).is_some() {
                    return Err(Failure::usage("evidence goes to one folder only", None));
                }
            }
        }
        Ok(())
    }
}

/// Makes a report in a format.
pub(super) type Rendering<'a> = dyn Fn(Format, Colour) -> Result<String, Failure> + 'a;

fn write_file(format: Format, file: OutputFile, rendered: &Rendering<'_>) -> Result<(), Failure> {
    let text = rendered(format, Colour::Never)?;
    let path = file.path().to_owned();
    file.write(text.as_bytes())
        .map_err(|e| cannot_write(&path, &e, Exit::CouldNotRun))
}

fn print_report(format: Format, rendered: &Rendering<'_>) -> Result<(), Failure> {
    let printed = match format {
        Format::Text => print::data(&rendered(Format::Text, Colour::Always)?),
        Format::Json | Format::Junit | Format::Markdown => {
            print::bytes(rendered(format, Colour::Never)?.as_bytes())
        }
    };
    printed.map(|_| ())
}

fn rendered(format: Format, of: &SuiteReport, colour: Colour) -> Result<String, Failure> {
    match format {
        Format::Text => Ok(report::text(of, colour)),
        Format::Json => report::json(of, suite::exit(of) as u8).map_err(|e| cannot_build(&e)),
        Format::Junit => report::junit(of).map_err(|e| cannot_build(&e)),
        Format::Markdown => Ok(report::markdown(of)),
    }
}

/// A report that its serialiser refuses.
pub(super) fn cannot_build(error: &dyn std::error::Error) -> Failure {
    let sentence = format!("the report cannot be built: {error}");
    Failure::new(Exit::CouldNotRun, &sentence, None)
}

fn cannot_write(path: &Path, error: &std::io::Error, exit: Exit) -> Failure {
    let sentence = format!("{} cannot be written: {error}", path.display());
    Failure::new(exit, &sentence, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_written_format_equals_file() {
        assert_eq!(Wanted::parse("json=-"), Ok(Wanted::Stdout(Format::Json)));
        assert_eq!(
            Wanted::parse("junit=a=b.xml"),
            Ok(Wanted::File(Format::Junit, "a=b.xml".into()))
        );
        assert_eq!(Wanted::parse("evidence=e"), Ok(Wanted::Evidence("e".into())));
        for wrong in ["json", "json=", "evidence=-", "html=x", "yaml=x"] {
            assert!(Wanted::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn text_goes_to_standard_output_unless_something_else_does() {
        let stdout = |wanted: &[Wanted]| Destinations::open(wanted).ok().unwrap().stdout;
        assert_eq!(stdout(&[]), Some(Format::Text));
        assert_eq!(stdout(&[Wanted::Stdout(Format::Json)]), Some(Format::Json));
    }
}
