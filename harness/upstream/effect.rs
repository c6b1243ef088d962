//! A call's effect, in a task of its own: a client that leaves does not undo it, and does not end its share in the load.

use std::sync::Arc;

use super::capacity::Share;
use super::keyed::Work;
use super::served::Served;
use super::shared::lock;
use crate::evidence::{EffectOutcome, Fact};
use crate::term::{CallId, Stamp};

/// Has the effect of work that takes no time, at this moment.
pub(super) fn at_once(served: &Served, call: CallId, work: Work, at: Stamp) {
    if let Some(outcome) = work.outcome {
        done(served, (call, at), outcome, work.key.as_deref());
    }
}

/// Works for so long, then has the effect. Dropping the future gives up the waiting, not the effect.
pub(super) async fn work(served: &Arc<Served>, call: CallId, work: Work, share: Option<Share>) {
    let takes = work.takes;
    let has_effect = work.outcome.is_some();
    let done = move |served: &Served| {
        if let Some(outcome) = work.outcome {
            let at = served.shared.clock.now();
            done(served, (call, at), outcome, work.key.as_deref());
        }
    };
    if !has_effect && share.is_none() {
        return served.shared.clock.sleep(takes).await;
    }
    let (alive, served) = (has_effect.then(|| served.effects.enter()), served.clone());
    let task = tokio::spawn(async move {
        served.shared.clock.sleep(takes).await;
        drop(share);
        done(&served);
        drop(alive);
    });
    // It cannot panic, and it is aborted only with the runtime.
    let _ = task.await;
}

/// Records the effect, and stores it under the call's key, in one step: who finds it stored finds it recorded.
fn done(served: &Served, (call, at): (CallId, Stamp), effect: EffectOutcome, key: Option<&str>) {
    let mut script = lock(&served.script);
    served
        .shared
        .recorder
        .record_of_call(Fact::EffectDone { call, at, effect });
    if let Some(key) = key {
        script.effect_done(key, call, at);
    }
}
