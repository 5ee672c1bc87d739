//! A worker of the crate iii-sdk that does what the test tells it: observer_worker ADDRESS NAME
//!
//! Commands come as calls of NAME::do, so the bus itself carries them. They are those of observer_worker.py, as far as the
//! SDKs agree; `source` has the options of observe.v2 instead of those of observe.v1.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use iii_helpers::observability::OtelConfig;
use iii_sdk::runtime::{FunctionRef, WorkerMetadata};
use iii_sdk::{
    Call, CallRequest, Error, IIIClient, InitOptions, Match, ObserveRejection, Observer, ObserverHandle, ObserverOptions,
    RegisterFunction, Source, WorkerIdentityMode, current_invocation, register_worker,
};
use serde_json::{Value, json};

#[derive(Default)]
struct State {
    observers: HashMap<String, ObserverHandle>,
    functions: HashMap<String, FunctionRef>,
    seen: HashMap<String, Vec<Value>>,
    hooks: Vec<Value>,
}

#[derive(Clone)]
struct Worker {
    iii: IIIClient,
    state: Arc<Mutex<State>>,
}

fn text(given: &Value, key: &str) -> String {
    given[key].as_str().unwrap_or_default().to_string()
}

fn without_caller(mut value: Value) -> Value {
    if let Some(object) = value.as_object_mut() {
        object.remove("_caller_worker_id");
    }
    value
}

fn failed() -> Error {
    Error::Remote { code: "FAILED".into(), message: "failed as asked".into(), stacktrace: None }
}

/// A value of the SDK from its name on the wire ("success", "input").
fn named<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).expect("a name of the protocol")
}

impl Worker {
    /// A function that echoes its input, or fails when it says so. `match`: an observer wants the calls whose topic is that of
    /// its args. `deliver`: the first observer of a call answers it.
    fn source(&self, given: &Value) {
        let id = text(given, "function_id");
        self.hooks(&id);
        if given["match"] == json!(true) {
            let wants = |obs: &Observer, call: &Call| obs.args_value()["topic"] == call.input["topic"];
            self.iii.on_observation_match_for(&id, Match::predicate(wants));
        }
        if given["deliver"] == json!(true) {
            let iii = self.iii.clone();
            self.iii.on_observation_deliver_for(&id, move |call: Call, observers: Vec<Observer>| {
                let iii = iii.clone();
                async move {
                    match observers.first() {
                        Some(first) => iii.call(CallRequest::observer(first, without_caller(call.input))).await,
                        None => Ok(json!("nobody")),
                    }
                }
            });
        }
        let mut function = RegisterFunction::new(|input: Value| match input["fail"] == json!(true) {
            true => Err(failed()),
            false => Ok(without_caller(input)),
        });
        if let Some(schema) = given.get("args_format") {
            function = function.args_format_value(schema.clone());
        }
        if given["private"] == json!(true) {
            function = function.private();
        }
        if given["observable"] == json!(false) {
            function = function.observable(false);
        }
        let registered = self.iii.register_function(&id, function);
        self.state.lock().unwrap().functions.insert(id, registered);
    }

    fn hooks(&self, id: &str) {
        let state = self.state.clone();
        self.iii.on_observer_added_for(id, move |obs: Observer| {
            let state = state.clone();
            async move {
                state.lock().unwrap().hooks.push(json!(["added", obs.id(), obs.args_value()]));
                match obs.args_value()["topic"] == json!("forbidden") {
                    true => Err(ObserveRejection::new("TOPIC_FORBIDDEN", "no")),
                    false => Ok(()),
                }
            }
        });
        let state = self.state.clone();
        self.iii.on_observer_removed_for(id, move |obs: Observer| {
            let state = state.clone();
            async move { state.lock().unwrap().hooks.push(json!(["removed", obs.id()])) }
        });
    }

    /// A function that writes down every activation.
    fn target(&self, given: &Value) {
        let (id, calls) = (text(given, "function_id"), text(given, "calls"));
        let takes = Duration::from_secs_f64(given["takes_s"].as_f64().unwrap_or(0.0));
        let (worker, log, running) = (self.clone(), id.clone(), Arc::new(AtomicU64::new(0)));
        worker.state.lock().unwrap().seen.entry(id.clone()).or_default();
        let function = RegisterFunction::new_async(move |data: Value, metadata: Option<Value>| {
            let (worker, log, calls, running) = (worker.clone(), log.clone(), calls.clone(), running.clone());
            async move {
                let depth = current_invocation().map_or(0, |now| now.observe_depth);
                let row = json!({"data": data, "metadata": metadata, "depth": depth, "running": running.fetch_add(1, Ordering::SeqCst) + 1});
                worker.state.lock().unwrap().seen.get_mut(&log).unwrap().push(row);
                if !calls.is_empty() {
                    worker.iii.call(CallRequest::new(&calls, json!({"again": true}))).await?;
                }
                tokio::time::sleep(takes).await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok::<_, Error>(json!({"handled": data}))
            }
        });
        let registered = self.iii.register_function(&id, function);
        self.state.lock().unwrap().functions.insert(id, registered);
    }

    fn observe(&self, given: &Value) {
        let from = &given["source"];
        let mut source = Source::function(text(from, "function_id"));
        if let Some(args) = from.get("args") {
            source = source.args(args.clone());
        }
        if let Some(filters) = from.get("filters") {
            source = source.filters(filters.clone());
        }
        if let Some(capture) = from["capture"].as_array() {
            source = source.capture(capture.iter().map(named));
        }
        if let Some(on) = from.get("on") {
            source = source.on(named(on));
        }
        if let Some(deliver) = from.get("deliver") {
            source = source.deliver(named(deliver));
        }
        let (id, policy) = (text(given, "id"), &given["options"]);
        let mut options = ObserverOptions::default().id(&id);
        if let Some(fires) = policy["max_fires"].as_u64() {
            options = options.max_fires(fires);
        }
        if let Some(ms) = policy["expires_in_ms"].as_u64() {
            options = options.expires_in(Duration::from_millis(ms));
        }
        if let Some(count) = policy["max_in_flight"].as_u64() {
            options = options.max_in_flight(count as u32);
        }
        if let Some(metadata) = policy.get("metadata") {
            options = options.metadata(metadata.clone());
        }
        let handle = self.iii.observe_with(source, text(given, "target"), options);
        self.state.lock().unwrap().observers.insert(id, handle);
    }

    fn observer(&self, given: &Value) -> ObserverHandle {
        self.state.lock().unwrap().observers[&text(given, "id")].clone()
    }

    async fn run(&self, given: Value) -> Result<Value, Error> {
        match text(&given, "op").as_str() {
            "source" => self.source(&given),
            "target" => self.target(&given),
            "observe" => self.observe(&given),
            "dispose" => self.observer(&given).dispose().await?,
            "unregister" => self.state.lock().unwrap().functions[&text(&given, "function_id")].unregister(),
            "state" => {
                let handle = self.observer(&given);
                return Ok(json!([handle.state(), handle.reason().map(|reason| reason.code)]));
            }
            "seen" => return Ok(json!(self.state.lock().unwrap().seen[&text(&given, "function_id")])),
            "hooks" => return Ok(json!(self.state.lock().unwrap().hooks)),
            "call" => return self.iii.call(CallRequest::new(text(&given, "function_id"), given["payload"].clone())).await,
            other => return Err(Error::Handler(format!("no command called {other}"))),
        }
        Ok(Value::Null)
    }
}

#[tokio::main]
async fn main() {
    let mut args = std::env::args().skip(1);
    let (address, name) = (args.next().expect("ADDRESS"), args.next().expect("NAME"));
    let iii = register_worker(
        &address,
        InitOptions {
            metadata: Some(WorkerMetadata { name: name.clone(), ..WorkerMetadata::default() }),
            otel: Some(OtelConfig { enabled: Some(false), ..OtelConfig::default() }),
            identity: WorkerIdentityMode::Explicit,
            ..InitOptions::default()
        },
    );
    let worker = Worker { iii: iii.clone(), state: Arc::default() };
    let commands = RegisterFunction::new_async(move |given: Value| {
        let worker = worker.clone();
        async move { worker.run(given).await }
    });
    iii.register_function(&format!("{name}::do"), commands.local_dispatch(false));
    println!("ready");
    std::future::pending::<()>().await
}
