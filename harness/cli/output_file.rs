//! A report's file: opened before anything runs, and replaced whole, so that nobody ever reads half a report.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The files of this program that are not yet what they will be: who leaves at once takes them away.
static HALVES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn halves() -> MutexGuard<'static, Vec<PathBuf>> {
    HALVES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Leaves the program, and no half of a file behind. None is begun or placed any more meanwhile.
pub(super) fn leave(status: i32) -> ! {
    let halves = halves();
    for path in halves.iter() {
        // There is nobody to tell that it stays.
        let _ = fs::remove_file(path);
    }
    std::process::exit(status)
}

/// A file that will be written.
pub(super) struct OutputFile {
    path: PathBuf,
    way: Way,
}

enum Way {
    /// Into a file beside it, which then takes its place.
    Beside(Half),
    /// Straight into it: a pipe, a device, or a file in a folder that takes no other.
    Straight(File),
}

/// A file that is not yet what it will be; taken away where it never becomes that.
struct Half {
    file: File,
    path: PathBuf,
    becomes: PathBuf,
    placed: bool,
}

impl OutputFile {
    /// Opens a way to write `path`; what stands there now stays until then.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let way = match fs::metadata(path) {
            Ok(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            // Whoever listens at a pipe or a device would not see what takes its place.
            Ok(there) if !there.is_file() => straight(path)?,
            // A link stays one: what it points at is replaced. A file that may not be written is not replaced either.
            Ok(_) => {
                let straight = straight(path)?;
                Half::becoming(fs::canonicalize(path)?).map_or(straight, Way::Beside)
            }
            Err(_) => Way::Beside(Half::becoming(path.to_owned())?),
        };
        Ok(OutputFile {
            path: path.to_owned(),
            way,
        })
    }

    /// Where it is, as the user wrote it.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether both replace one file; a pipe or a device takes as many reports as there are.
    pub(super) fn is_same_as(&self, other: &OutputFile) -> bool {
        match (&self.way, &other.way) {
            (Way::Beside(one), Way::Beside(other)) => one.becomes == other.becomes,
            (Way::Straight(_), _) | (_, Way::Straight(_)) => false,
        }
    }

    /// Writes all of it.
    ///
    /// # Errors
    /// It cannot be written; what stood there stands there still, where the system lets files be replaced.
    pub(super) fn write(self, bytes: &[u8]) -> io::Result<()> {
        match self.way {
            Way::Beside(half) => half.place(bytes),
            Way::Straight(mut file) => {
                // Only a regular file can be emptied; a pipe has nothing to empty.
                if file.metadata()?.is_file() {
                    file.set_len(0)?;
                }
                file.write_all(bytes)
            }
        }
    }
}

fn straight(path: &Path) -> io::Result<Way> {
    OpenOptions::new().write(true).open(path).map(Way::Straight)
}

impl Half {
    fn becoming(becomes: PathBuf) -> io::Result<Self> {
        let name = becomes.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = match becomes.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let folder = fs::canonicalize(folder)?;
        // Known from the moment it is there.
        let mut known = halves();
        // Two reports for one file are told apart until that is refused.
        let (file, path) = (0..100)
            .map(|n| {
                folder.join(format!(
                    ".{}.{}-{n}.half",
                    name.to_string_lossy(),
                    std::process::id()
                ))
            })
            .find_map(
                |path| match OpenOptions::new().write(true).create_new(true).open(&path) {
                    Err(e) if e.kind() == io::ErrorKind::AlreadyExists => None,
                    opened => Some(opened.map(|file| (file, path))),
                },
            )
            .unwrap_or(Err(io::ErrorKind::AlreadyExists.into()))?;
        known.push(path.clone());
        drop(known);
        Ok(Half {
            file,
            path,
            becomes: folder.join(name),
            placed: false,
        })
    }

    fn place(mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        if let Ok(there) = fs::metadata(&self.becomes) {
            self.file.set_permissions(there.permissions())?;
        }
        let known = halves();
        fs::rename(&self.path, &self.becomes)?;
        self.placed = true;
        drop(known);
        Ok(())
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        let mut known = halves();
        if !self.placed {
            // There is nobody to tell that it stays.
            let _ = fs::remove_file(&self.path);
        }
        known.retain(|path| *path != self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_is_known_however_its_path_is_written() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let open = |name: &str| OutputFile::open(&folder.path().join(name)).expect("it can be opened");
        assert!(open("r").is_same_as(&open("./r")));
        assert!(!open("r").is_same_as(&open("s")));
        let null = || OutputFile::open(Path::new("/dev/null")).expect("it can be opened");
        assert!(!null().is_same_as(&null()));
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("it is there").flatten();
        let mut names: Vec<_> = entries
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_stood_there_stays_until_the_report_is_whole() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("r.json");
        fs::write(&path, "old").expect("it can be written");
        let file = OutputFile::open(&path).expect("it can be opened");
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "old");
        file.write(b"new").expect("it can be written");
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "new");
        assert_eq!(names(folder.path()), ["r.json"]);
    }

    #[test]
    fn a_report_that_is_never_written_leaves_nothing_behind() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        drop(OutputFile::open(&folder.path().join("r.json")).expect("it can be opened"));
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn a_link_and_a_device_stay_what_they_are() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old, and longer").expect("it can be written");
        std::os::unix::fs::symlink(&real, &link).expect("a link can be made");
        OutputFile::open(&link)
            .and_then(|file| file.write(b"new"))
            .expect("it can be written");
        assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
        assert_eq!(fs::read_to_string(&real).expect("it is there"), "new");
        OutputFile::open(Path::new("/dev/null"))
            .and_then(|file| file.write(b"x"))
            .expect("it takes all");
        assert!(!fs::metadata("/dev/null").expect("it is there").is_file());
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        assert!(OutputFile::open(folder.path()).is_err());
        assert!(OutputFile::open(&folder.path().join("no/such/r.json")).is_err());
    }
}
