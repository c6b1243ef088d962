//! What a process is told of its trial: slots filled in, and variables of its environment.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::keeper::Keeper;
use crate::client::{FilePlan, ProcessPlan, Slot, slots, variable};
use crate::drive::Brief;

/// What one process is told.
pub(super) struct Told {
    /// `host:port` that it listens on.
    pub(super) listens: String,
    /// A folder of its own.
    pub(super) tmp: PathBuf,
    /// `host:port` of the dependencies and of the taps before the layers below.
    points: BTreeMap<String, String>,
}

impl Told {
    /// What `process` is told, with these layers below it.
    ///
    /// # Errors
    /// It has no place to stand, or two points share a variable: a sentence without a full stop.
    pub(super) fn of(process: &ProcessPlan, brief: &Brief, below: &[Keeper]) -> Result<Self, String> {
        let station = brief.stations.get(below.len());
        let station = station.filter(|s| s.name == process.name);
        let station = station.ok_or_else(|| format!("the layer `{}` was given no port", process.name))?;
        let mut points = BTreeMap::new();
        for (name, url) in &brief.hello.dependencies {
            let address = url.strip_prefix("http://").unwrap_or(url);
            points.insert(name.clone(), address.to_owned());
        }
        for station in &brief.stations[..below.len()] {
            points.insert(station.name.to_string(), station.tap.clone());
        }
        let mut variables: Vec<String> = points.keys().map(|name| variable(name)).collect();
        variables.sort_unstable();
        if let Some(twice) = variables.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!(
                "two points would share the variable RETRIAL_URL_{}",
                twice[0]
            ));
        }
        Ok(Told {
            listens: station.listens.clone(),
            tmp: brief.tmp.join(&*process.name),
            points,
        })
    }

    /// Makes the process's folder and writes its files.
    pub(super) async fn write(&self, files: &[FilePlan]) -> io::Result<()> {
        tokio::fs::create_dir_all(&self.tmp).await?;
        for file in files {
            tokio::fs::write(self.tmp.join(&file.name), self.fill(&file.template)).await?;
        }
        Ok(())
    }

    /// `RETRIAL_PORT`, `RETRIAL_URL_NAME` and so on.
    pub(super) fn environment(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let urls = self.points.iter().map(|(name, address)| {
            let name = format!("RETRIAL_URL_{}", variable(name));
            (name, format!("http://{address}"))
        });
        let tmp = self.tmp.to_string_lossy().into_owned();
        let own = [("PORT", self.port().to_owned()), ("TMP", tmp)];
        urls.chain(own.map(|(name, value)| (format!("RETRIAL_{name}"), value)))
    }

    /// The text with its slots filled in, once.
    pub(super) fn fill(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut from = 0;
        for (slot, span) in slots(text) {
            filled += &text[from..span.start];
            filled += &self
                .value(&slot)
                .unwrap_or_else(|| text[span.start..span.end].to_owned());
            from = span.end;
        }
        filled + &text[from..]
    }

    /// A slot's value. One that leads nowhere was reported when the client's file was read.
    fn value(&self, slot: &Slot) -> Option<String> {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        match slot {
            Slot::Port => Some(self.port().to_owned()),
            Slot::Tmp => Some(path(&self.tmp)),
            Slot::File(name) => Some(path(&self.tmp.join(name))),
            Slot::Url(name) => self.points.get(name).map(|address| format!("http://{address}")),
            Slot::Address(name) => self.points.get(name).cloned(),
        }
    }

    fn port(&self) -> &str {
        self.listens.rsplit(':').next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_filled_once_and_what_they_hold_is_no_slot() {
        let told = Told {
            listens: "127.0.0.1:4000".to_owned(),
            tmp: PathBuf::from("/t/{port}"),
            points: BTreeMap::from([("inbox".to_owned(), "127.0.0.1:5000".to_owned())]),
        };
        assert_eq!(
            told.fill("listen {port}; { {url:inbox} {address:inbox} } {file:a} {x}"),
            "listen 4000; { http://127.0.0.1:5000 127.0.0.1:5000 } /t/{port}/a {x}"
        );
        let environment: BTreeMap<_, _> = told.environment().collect();
        assert_eq!(environment["RETRIAL_URL_INBOX"], "http://127.0.0.1:5000");
        assert_eq!(environment["RETRIAL_PORT"], "4000");
    }
}
