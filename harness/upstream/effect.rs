//! A call's effect, in a task of its own: a client that leaves does not undo it.

use std::sync::Arc;
use std::time::Duration;

use super::served::Served;
use super::shared::Shared;
use crate::evidence::{EffectOutcome, Fact};
use crate::term::{CallId, Effect};

/// Works for so long, then has the effect. Dropping the future gives up the waiting, not the effect.
pub(super) async fn work(served: &Arc<Served>, call: CallId, takes: Duration, effect: Effect) {
    let Some(outcome) = outcome(effect) else {
        if !takes.is_zero() {
            served.shared.clock.sleep(takes).await;
        }
        return;
    };
    if takes.is_zero() {
        return done(&served.shared, call, outcome);
    }
    let (alive, shared) = (served.effects.enter(), served.shared.clone());
    let task = tokio::spawn(async move {
        shared.clock.sleep(takes).await;
        done(&shared, call, outcome);
        drop(alive);
    });
    // It cannot panic, and it is aborted only with the runtime.
    let _ = task.await;
}

fn outcome(effect: Effect) -> Option<EffectOutcome> {
    match effect {
        Effect::None => None,
        Effect::Applied => Some(EffectOutcome::Applied),
        Effect::Begun => Some(EffectOutcome::Begun),
    }
}

fn done(shared: &Shared, call: CallId, effect: EffectOutcome) {
    let at = shared.clock.now();
    shared.recorder.record(Fact::EffectDone { call, at, effect });
}
