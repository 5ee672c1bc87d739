"""The same worker as demo.mjs, for PyPI `iii-sdk` 0.11 or newer: python demo.py [ADDRESS]"""

import os
import sys
import threading

from iii import register_worker

iii = register_worker(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("III_URL", "ws://127.0.0.1:49134"))


async def guide(_input):
    return {"content": "# Guide\n\nEverything there is to know about the demo."}


async def greet_prompt(given):
    return {"content": f"Greet {given.get('name', 'world')} warmly."}


iii.register_function("demo::guide", guide)
iii.register_function("demo::greet_prompt", greet_prompt)

iii.trigger({
    "function_id": "skills::register",
    "payload": {
        "id": "demo",
        "skill": "# demo\n\nShows how a worker brings its documents.\n\nMore in the [guide](iii://demo/demo::guide).\n",
    },
})
iii.trigger({
    "function_id": "prompts::register",
    "payload": {
        "name": "greet",
        "description": "Write a greeting.",
        "arguments": [{"name": "name", "description": "Who is greeted", "required": True}],
        "function_id": "demo::greet_prompt",
    },
})
print("registered", flush=True)
threading.Event().wait()  # its functions are called as long as it runs
