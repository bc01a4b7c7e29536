//! Dead letters are queued again: all that the queue takes, none twice, none lost, and no longer than whoever asked waits.

use carryover_shared::traits::{RedriveError, Redriven};
use carryover_tests::sqs::Sqs;
use std::time::Duration;

const TIME: Duration = Duration::from_secs(10);

fn letters(number: usize) -> Vec<String> {
    (0..number).map(|n| format!("job {n}")).collect()
}

#[tokio::test]
async fn all_are_queued_again_batch_by_batch_and_counted_meanwhile() {
    let sqs = Sqs::with_dead(letters(25));
    let queue = sqs.watched();
    assert_eq!(queue.dead().await, Ok(25));
    let mut progress = vec![];
    let redriven = queue.redrive(100, TIME, |queued| progress.push(queued)).await;
    assert_eq!(redriven, Ok(Redriven { queued: 25, refused: 0 }));
    assert_eq!((sqs.live(), sqs.dead().len()), (letters(25), 0));
    assert_eq!(progress, [10, 20, 25]);
    assert_eq!(queue.waiting().await.map(|waiting| waiting.total()), Ok(25));
    assert_eq!(queue.redrive(100, TIME, |_| ()).await, Ok(Redriven::default()), "there is none left");
}

#[tokio::test]
async fn no_more_are_queued_again_than_were_asked_for() {
    let sqs = Sqs::with_dead(letters(25));
    let redriven = sqs.watched().redrive(12, TIME, |_| ()).await;
    assert_eq!(redriven, Ok(Redriven { queued: 12, refused: 0 }));
    assert_eq!((sqs.live().len(), sqs.dead().len()), (12, 13));
}

#[tokio::test]
async fn a_letter_that_the_queue_refuses_stays_and_the_others_go() {
    let sqs = Sqs::with_dead(letters(3));
    sqs.refuse("job 1");
    let redriven = sqs.watched().redrive(3, TIME, |_| ()).await;
    assert_eq!(redriven, Ok(Redriven { queued: 2, refused: 1 }));
    assert_eq!((sqs.live(), sqs.dead()), (vec!["job 0".into(), "job 2".into()], vec!["job 1".to_owned()]));
}

#[tokio::test]
async fn a_queue_that_breaks_half_way_says_how_many_it_took_and_keeps_the_rest() {
    let sqs = Sqs::with_dead(letters(25));
    sqs.break_after(1);
    let RedriveError { queued, .. } = sqs.watched().redrive(25, TIME, |_| ()).await.unwrap_err();
    assert_eq!((queued, sqs.live().len(), sqs.dead().len()), (10, 10, 15));
}

#[tokio::test(start_paused = true)]
async fn bounds_when_its_time_is_over_no_further_batch_begins() {
    let sqs = Sqs::with_dead(letters(500));
    sqs.set_latency(Duration::from_secs(1));
    let begun = tokio::time::Instant::now();
    let redriven = sqs.watched().redrive(500, TIME, |_| ()).await.expect("it answers");
    assert!(begun.elapsed() < TIME + Duration::from_secs(4), "{:?}", begun.elapsed());
    assert_eq!((redriven.queued, sqs.live().len(), sqs.dead().len()), (40, 40, 460));
}

#[tokio::test(start_paused = true)]
async fn bounds_a_queue_that_hangs_is_given_up() {
    let sqs = Sqs::with_dead(letters(1));
    sqs.set_latency(Duration::from_secs(60));
    let begun = tokio::time::Instant::now();
    let error = sqs.watched().redrive(1, TIME, |_| ()).await.unwrap_err();
    assert_eq!((error.queued, error.code.as_str()), (0, "timeout"));
    assert!(begun.elapsed() < TIME, "{:?}", begun.elapsed());
}
