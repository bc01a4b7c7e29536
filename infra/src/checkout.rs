//! Where things lie: the checkout and the directory of a local stack.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// A checkout of the project: the directory that holds `template.yaml` and `infra/local`.
#[derive(Debug, Clone)]
pub struct Checkout {
    root: PathBuf,
}

impl Checkout {
    /// The checkout around the current directory.
    ///
    /// # Errors
    /// Neither the current directory nor any above it is a checkout.
    pub fn current() -> Result<Self> {
        Self::around(&std::env::current_dir().context("there is no current directory")?)
    }

    fn around(start: &Path) -> Result<Self> {
        let is_checkout =
            |dir: &&Path| dir.join("template.yaml").is_file() && dir.join("infra/local").is_dir();
        match start.ancestors().find(is_checkout) {
            Some(root) => Ok(Self { root: root.to_owned() }),
            None => bail!("{} is not in a checkout of Carryover", start.display()),
        }
    }

    /// Its root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The deployment.
    pub fn template(&self) -> PathBuf {
        self.root.join("template.yaml")
    }

    /// A script of the local stack.
    pub fn script(&self, name: &str) -> PathBuf {
        self.root.join("infra/local").join(name)
    }

    /// The Python of the local stack's virtual environment, which the Makefile sets up.
    pub fn python(&self) -> PathBuf {
        self.root.join("target/local/venv/bin/python")
    }

    /// The local stack's directory: `target/local` of the checkout, wherever cargo builds, unless `state` names
    /// another one.
    pub fn local_dir(&self, state: Option<&Path>) -> LocalDir {
        let dir = match state {
            Some(dir) => self.root.join(dir),
            None => self.root.join("target/local"),
        };
        LocalDir { dir }
    }
}

/// The directory of one local stack: its state, logs and outputs.
#[derive(Debug, Clone)]
pub struct LocalDir {
    dir: PathBuf,
}

impl LocalDir {
    /// The directory `state`, or `target/local` of the checkout around the current directory.
    ///
    /// # Errors
    /// No directory is named, and this is no checkout.
    pub fn named(state: Option<&Path>) -> Result<Self> {
        match state {
            Some(dir) if dir.is_absolute() => Ok(Self { dir: dir.to_owned() }),
            _ => Ok(Checkout::current()?.local_dir(state)),
        }
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// What tests and the other commands read to find the running stack.
    pub fn outputs(&self) -> PathBuf {
        self.dir.join("outputs.json")
    }

    /// The emulator's state across runs.
    pub fn state(&self) -> PathBuf {
        self.dir.join("state")
    }

    /// The emulator's temporary files.
    pub fn tmp(&self) -> PathBuf {
        self.dir.join("tmp")
    }

    /// The zips of the functions.
    pub fn artifacts(&self) -> PathBuf {
        self.dir.join("artifacts")
    }

    /// The memories of a Hindsight server of its own, and the server's log.
    pub fn hindsight(&self) -> PathBuf {
        self.dir.join("hindsight")
    }

    /// The emulator's log.
    pub fn stack_log(&self) -> PathBuf {
        self.dir.join("stack.log")
    }

    /// What the functions log.
    pub fn functions_log(&self) -> PathBuf {
        self.dir.join("functions.log")
    }

    /// The secrets of this stack, generated once.
    pub fn secrets(&self) -> PathBuf {
        self.dir.join("secrets.json")
    }

    /// The emulator's port, kept because its state names it.
    pub fn port(&self) -> PathBuf {
        self.dir.join("port")
    }

    /// Held by the run that uses this directory.
    pub fn lock(&self) -> PathBuf {
        self.dir.join("lock")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkout_is_found_from_below() {
        let here = Checkout::around(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert!(here.template().is_file());
        assert_eq!(here.local_dir(None).outputs(), here.root().join("target/local/outputs.json"));
    }

    #[test]
    fn elsewhere_there_is_none() {
        assert!(Checkout::around(Path::new("/")).is_err());
    }
}
