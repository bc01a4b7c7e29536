//! A model in process: a closure answers, and every question is kept.

use carryover_shared::traits::{Answer, Asked, Model, ModelError, Question};
use futures::future::BoxFuture;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What the model says to one question.
pub type Said = Result<Value, ModelError>;

type Script = dyn FnMut(&Question) -> Said + Send;

/// A model that does as it is told.
#[derive(Clone)]
pub struct FakeModel {
    script: Arc<Mutex<Box<Script>>>,
    questions: Arc<Mutex<Vec<Question>>>,
    latency: Duration,
    tokens: (u64, u64),
}

impl fmt::Debug for FakeModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FakeModel")
    }
}

impl FakeModel {
    /// Answers every question with what `script` says.
    pub fn new(script: impl FnMut(&Question) -> Said + Send + 'static) -> Self {
        let script: Box<Script> = Box::new(script);
        Self {
            script: Arc::new(Mutex::new(script)),
            questions: Arc::default(),
            latency: Duration::ZERO,
            tokens: (0, 0),
        }
    }

    /// Gives these answers in turn, then no more: further questions time out.
    pub fn says(answers: impl IntoIterator<Item = Said>) -> Self {
        let mut answers: VecDeque<Said> = answers.into_iter().collect();
        Self::new(move |_| answers.pop_front().unwrap_or(Err(ModelError::Timeout)))
    }

    /// Thinks this long about every question.
    #[must_use]
    pub fn thinking(self, latency: Duration) -> Self {
        Self { latency, ..self }
    }

    /// Counts so many tokens in each prompt and each answer.
    #[must_use]
    pub fn counting(self, prompt: u64, completion: u64) -> Self {
        Self { tokens: (prompt, completion), ..self }
    }

    /// The questions so far, oldest first.
    pub fn questions(&self) -> Vec<Question> {
        lock(&self.questions).clone()
    }

    fn answer(&self, question: &Question) -> Asked {
        lock(&self.questions).push(question.clone());
        let said = (lock(&self.script))(question);
        let answer = said.map(|value| Answer {
            object: match value {
                Value::Object(object) => object,
                _ => Map::new(),
            },
            model: "fake".into(),
            prompt_tokens: self.tokens.0,
            completion_tokens: self.tokens.1,
        });
        let calls = u32::from(answer.as_ref().err() != Some(&ModelError::NotConfigured));
        Asked { answer, calls }
    }
}

impl Model for FakeModel {
    fn ask<'a>(&'a self, question: &'a Question, _: Duration) -> BoxFuture<'a, Asked> {
        Box::pin(async move {
            tokio::time::sleep(self.latency).await;
            self.answer(question)
        })
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
