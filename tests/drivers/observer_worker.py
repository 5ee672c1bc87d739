"""A worker of the PyPI SDK that does what the test tells it: python observer_worker.py ADDRESS NAME

Commands come as calls of NAME::do, so the bus itself carries them. observer_worker.cpp and rust know the same ones.
"""

import sys
import threading
import time

from iii import InitOptions, ObserveRejection, register_worker
from iii.iii_constants import ReconnectionConfig

address, name = sys.argv[1], sys.argv[2]
iii = register_worker(
    address,
    InitOptions(
        worker_name=name,
        enable_metrics_reporting=False,
        reconnection_config=ReconnectionConfig(initial_delay_ms=30, max_delay_ms=60),
    ),
)
observers, seen, functions, hooks = {}, {}, {}, []


def without_caller(value):
    return {k: v for k, v in value.items() if k != "_caller_worker_id"} if isinstance(value, dict) else value


def source(given):
    """A function that echoes its input, or fails when it says so."""
    fid = given["function_id"]

    def handler(data):
        if isinstance(data, dict) and data.get("fail"):
            raise RuntimeError("failed as asked")
        if given.get("owner"):
            return [obs.emit(without_caller(data)) for obs in functions[fid].observers()]
        return without_caller(data)

    observe = given.get("observe")
    if observe is not None:

        def added(obs):
            hooks.append(["added", obs.id, obs.args])
            if obs.args.get("topic") == "forbidden":
                raise ObserveRejection("TOPIC_FORBIDDEN", "no")

        observe = {**observe, "on_observer_added": added, "on_observer_removed": lambda obs: hooks.append(["removed", obs.id])}
    functions[fid] = iii.register_function(fid, handler, observe=observe)


def target(given):
    """A function that writes down every activation."""
    log = seen.setdefault(given["function_id"], [])
    running = [0]

    def handler(data, metadata=None):
        inv = iii.current_invocation()
        running[0] += 1
        log.append({"data": data, "metadata": metadata, "depth": inv.observe_depth, "running": running[0]})
        if given.get("calls"):
            iii.trigger({"function_id": given["calls"], "payload": {"again": True}})
        time.sleep(given.get("takes_s", 0))
        running[0] -= 1

    iii.register_function(given["function_id"], handler)


def observe(given):
    options = {"id": given["id"], **given.get("options", {})}
    observers[given["id"]] = iii.observe(given["source"], given["target"], options)


def state(given):
    handle = observers[given["id"]]
    reason = handle.reason
    code = None if reason is None else (reason.get("code") if isinstance(reason, dict) else reason.code)
    return [handle.state, code]


commands = {
    "source": source,
    "target": target,
    "observe": observe,
    "state": state,
    "dispose": lambda given: observers[given["id"]].dispose(),
    "seen": lambda given: seen[given["function_id"]],
    "hooks": lambda given: hooks,
    "unregister": lambda given: functions[given["function_id"]].unregister(),
    "call": lambda given: iii.trigger({"function_id": given["function_id"], "payload": given["payload"]}),
}
iii.register_function(f"{name}::do", lambda given: commands[given["op"]](given))
print("ready", flush=True)
threading.Event().wait()
