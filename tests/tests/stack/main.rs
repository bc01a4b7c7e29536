//! Black-box tests against a running local stack; `make stack-tests` starts it.

mod front;
mod lifecycle;
mod readme;
