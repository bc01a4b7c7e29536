//! The `carryover` command: parses the command line and hands over.

use carryover_command::run;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Carryover's command line.
#[derive(Parser)]
#[command(name = "carryover", version, about)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs the whole deployment on this machine until it is interrupted.
    Run(run::Options),
}

#[tokio::main]
async fn main() -> ExitCode {
    let outcome = match CommandLine::parse().command {
        Command::Run(options) => run::run(options).await,
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("carryover: {error:#}");
            ExitCode::FAILURE
        }
    }
}
