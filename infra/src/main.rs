//! The `carryover` command: parses the command line and hands over.

// Futures of the SDK nest deeply.
#![recursion_limit = "256"]

use carryover_command::{
    agent, chat, facts, forget, hand_back, import, install, redrive, replay, run, show, sign_in, tickets,
    trace,
};
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
    /// Installs the default agent in a first deployment on AWS.
    Install(install::Options),
    /// Chats with the bot as a customer.
    Chat(chat::Options),
    /// Imports a log of messages into an empty thread.
    Import(import::Options),
    /// Shows a thread as the bot knows it.
    Show(show::Options),
    /// Prints the full context of a decision.
    Trace(trace::Options),
    /// Signs an operator in and prints their ID token, the bearer of their API.
    Token(sign_in::Options),
    /// Hands a thread back to the bot.
    HandBack(hand_back::Options),
    /// Creates versions of agents, shows them, and says where they answer.
    #[command(subcommand)]
    Agent(agent::Command),
    /// Loads account facts.
    #[command(subcommand)]
    Facts(facts::Command),
    /// Erases a contact everywhere.
    Forget(forget::Options),
    /// Queues jobs again that were given up.
    Redrive(redrive::Options),
    /// Keeps past tickets and released cases, as hints for the bot.
    #[command(subcommand)]
    Tickets(tickets::Command),
    /// Replays recorded conversations and checks what became of them.
    Replay(replay::Options),
}

#[tokio::main]
async fn main() -> ExitCode {
    let outcome = match CommandLine::parse().command {
        Command::Run(options) => run::run(options).await,
        Command::Install(options) => install::run(options).await,
        Command::Chat(options) => chat::run(options).await,
        Command::Import(options) => import::run(options).await,
        Command::Show(options) => show::run(options).await,
        Command::Trace(options) => trace::run(options).await,
        Command::Token(options) => sign_in::run(options).await,
        Command::HandBack(options) => hand_back::run(options).await,
        Command::Agent(command) => agent::run(command).await,
        Command::Facts(command) => facts::run(command).await,
        Command::Forget(options) => forget::run(options).await,
        Command::Redrive(options) => redrive::run(options).await,
        Command::Tickets(command) => tickets::run(command).await,
        Command::Replay(options) => replay::run(options).await,
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("carryover: {error:#}");
            ExitCode::FAILURE
        }
    }
}
