//! Where the retry sits: the counts at every point, who multiplied, and who is to be blamed for it.

use super::stack::{front, loan, run};

#[test]
fn a_repeat_costs_what_its_place_makes_it_cost() {
    // gateway, middle, wrapper: calls at front, loan, membership, notification; delivered
    let rows = [
        ((1, 1, 1), [1, 1, 1, 1, 1]),
        ((1, 1, 3), [1, 1, 1, 3, 3]),
        ((1, 3, 1), [1, 1, 3, 3, 3]),
        ((3, 1, 1), [1, 3, 3, 3, 3]),
    ];
    for ((gateway, middle, wrapper), counts) in rows {
        let ran = run(&[loan(middle, wrapper), front(gateway)], "", "layers-transient");
        assert_eq!(ran.counts(), counts, "{gateway} {middle} {wrapper}\n{}", ran.text);
    }
}

#[test]
fn attempts_of_layers_multiply_and_the_healthy_count_splits_what_has_no_socket() {
    let ran = run(&[loan(3, 3), front(3)], "", "layers-persistent");
    assert_eq!(ran.counts(), [1, 3, 9, 27, 27], "{}", ran.text);
    let last = &ran.trial()["segments"][3];
    assert_eq!(
        (&last["from"], &last["to"], &last["multiplier"]),
        (&"loan".into(), &"notification".into(), &9.0.into())
    );
    assert_eq!(last["split"], serde_json::json!({"by": "membership", "calls": 9}));
}

/// Three layers of so many attempts make the cube of them, and one owner makes what it promises.
#[test]
fn one_owner_keeps_what_the_client_promises_and_stacked_layers_make_the_product() {
    for (attempts, product) in [(3, 27), (4, 64)] {
        let promised = format!("promises: {{attempts: {attempts}}}\n");
        let owner = run(&[loan(1, attempts), front(1)], &promised, "layers-owner");
        assert_eq!(owner.counts()[3], u64::from(attempts), "{}", owner.text);
        assert_eq!(
            (owner.status, &owner.trial()["verdict"]),
            (0, &"pass".into()),
            "{}",
            owner.text
        );
        let stacked = run(
            &[loan(attempts, attempts), front(attempts)],
            &promised,
            "layers-owner",
        );
        assert_eq!(stacked.counts()[3], product, "{}", stacked.text);
        let because = format!(
            "your scenario asks for at most the {attempts} calls that the client promises at `notification`; {product} came"
        );
        assert_eq!(stacked.findings("expect.met"), [("fail".to_owned(), because)]);
    }
}

#[test]
fn a_gateway_that_repeats_a_post_fails_and_one_that_repeats_a_get_does_not() {
    let ran = run(&[loan(1, 1), front(3)], "", "layers-transient");
    let [(verdict, because)] = &ran.findings("unsafe.not_repeated")[..] else {
        panic!("{}", ran.text)
    };
    assert_eq!(verdict, "fail");
    assert!(
        because.starts_with("the gateway `front` sent the POST of op-1 again"),
        "{because}"
    );
    assert_eq!(ran.findings("healthy.unstrained").len(), 1);
    assert_eq!((ran.status, &ran.trial()["verdict"]), (1, &"fail".into()));
    let get = include_str!("../../scenarios/layers-transient.yaml").replace("POST", "GET");
    let ran = run(&[loan(1, 1), front(3)], "", &get);
    assert_eq!(ran.findings("unsafe.not_repeated"), []);
    assert_eq!(ran.counts()[1], 3);
}

#[test]
fn a_service_that_repeats_is_warned_of_and_its_gateway_is_not_blamed() {
    let ran = run(&[loan(1, 3), front(1)], "", "layers-transient");
    let [(verdict, because)] = &ran.findings("unsafe.not_repeated")[..] else {
        panic!("{}", ran.text)
    };
    assert_eq!(verdict, "warn");
    assert!(
        because.starts_with("the service `loan` sent the POST of op-1 again"),
        "{because}"
    );
    assert_eq!(ran.findings("healthy.unstrained"), []);
}

#[test]
fn a_key_makes_the_services_repeat_safe_and_no_gateways() {
    let ran = run(&[loan(1, 3), front(1)], "", "layers-keyed");
    assert_eq!(ran.findings("unsafe.not_repeated"), [], "{}", ran.text);
    assert_eq!(ran.counts(), [1, 1, 1, 3, 1]);
    let ran = run(&[loan(1, 1), front(3)], "", "layers-keyed");
    let found = ran.findings("unsafe.not_repeated");
    assert_eq!(found.len(), 1, "{}", ran.text);
    assert_eq!(found[0].0, "fail");
    assert_eq!(ran.counts(), [1, 3, 3, 3, 1]);
}

#[test]
fn a_stack_that_repeats_nothing_passes_and_what_is_expected_of_layers_is_judged() {
    let scenario = include_str!("../../scenarios/layers-transient.yaml");
    let expecting = |calls: u32| {
        format!("{scenario}expect: {{layers: {{gateway: {{calls: 1}}, service: {{calls: {calls}}}}}}}\n")
    };
    let ran = run(&[loan(1, 1), front(1)], "", &expecting(1));
    assert_eq!(
        (ran.status, &ran.trial()["verdict"]),
        (0, &"pass".into()),
        "{}",
        ran.text
    );
    let ran = run(&[loan(1, 1), front(1)], "", &expecting(2));
    let found = ran.findings("expect.met");
    assert_eq!(
        found,
        [(
            "fail".to_owned(),
            "your scenario asks for exactly 2 calls at `loan`; 1 came".to_owned()
        )]
    );
}
