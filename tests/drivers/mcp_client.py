"""The official Python client against our server: everything a harness does, once.

Usage: mcp_client.py SETTINGS, a JSON object: `mode` of the client, `version` it must negotiate, `folder` of the skills,
and `url`, or `command`, `args` and `env` of a process.
"""

import json
import pathlib
import sys

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

settings = json.loads(sys.argv[1])
folder = pathlib.Path(settings["folder"])
DEADLINE = 60


def server():
    if "url" in settings:
        return settings["url"]
    parameters = StdioServerParameters(
        command=settings["command"], args=settings["args"], env=settings["env"], cwd=settings["folder"]
    )
    return stdio_client(parameters)


def edit(text):
    document = "---\nname: demo\ndescription: Shows how it is done.\nlicense: MIT\n---\n# Demo\n\n" + text + "\n"
    (folder / "demo" / "SKILL.md").write_text(document)


async def refused(call, *codes):
    try:
        await call
    except MCPError as error:
        assert error.error.code in codes, error
        return
    raise AssertionError("it was not refused")


async def browse(client):
    tools = [tool.name for tool in (await client.list_tools()).tools]
    assert {"call", "find", "read", "jobs__count", "jobs__wait"} <= set(tools), tools
    resources = [str(row.uri) for row in (await client.list_resources()).resources]
    assert {"iii://skills", "iii://demo", "skill://demo/SKILL.md"} <= set(resources), resources
    for uri in resources:
        assert len((await client.read_resource(uri)).contents) == 1, uri
    logo = (await client.read_resource("skill://demo/assets/logo.png")).contents[0]
    assert logo.blob == "iVBOR/8A", logo
    assert len((await client.list_resource_templates()).resource_templates) == 3
    await refused(client.read_resource("iii://nope"), -32602, -32002)


async def prompts(client):
    assert [row.name for row in (await client.list_prompts()).prompts] == ["review"]
    prompt = await client.get_prompt("review", {"pr": "#7"})
    assert prompt.messages[0].content.text == "Review #7.\n", prompt
    await refused(client.get_prompt("review", {}), -32602)


async def progress(client):
    steps = []
    counted = anyio.Event()

    async def on_progress(done, total, message):
        steps.append((done, total, message))
        if len(steps) == 3:
            counted.set()

    async with anyio.create_task_group() as group:

        async def release():
            await counted.wait()
            await client.call_tool("jobs__release", {})

        group.start_soon(release)
        answer = await client.call_tool("jobs__count", {"to": 3}, progress_callback=on_progress)
    assert answer.structured_content == {"counted": 3}, answer
    assert steps == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")], steps


async def cancel(client):
    with anyio.CancelScope() as scope:

        async def on_progress(done, total, message):
            scope.cancel()

        await client.call_tool("jobs__wait", {}, progress_callback=on_progress)
    assert scope.cancelled_caught
    # The connection is still usable.
    answer = await client.call_tool("read", {"id": "demo"})
    assert "Do it." in answer.content[0].text or "Round" in answer.content[0].text


async def hear_of_edits_by_listening(client):
    async with client.listen(resources_list_changed=True, resource_subscriptions=["iii://demo"]) as stream:
        edit("Round 1.")
        async for event in stream:
            if getattr(event, "uri", None) == "iii://demo":
                break
    assert "Round 1." in (await client.read_resource("iii://demo")).contents[0].text


async def hear_of_edits_by_subscribing(client, heard):
    await client.subscribe_resource("iii://demo")
    rounds = 0
    # A session over HTTP has its stream only a moment after `initialize`: notices before that are not for it.
    while not heard.is_set():
        rounds += 1
        edit(f"Round {rounds}.")
        with anyio.move_on_after(0.5):
            await heard.wait()
    assert f"Round {rounds}." in (await client.read_resource("iii://demo")).contents[0].text


async def main():
    heard = anyio.Event()

    async def on_message(message):
        if getattr(message, "method", None) == "notifications/resources/updated":
            heard.set()

    with anyio.fail_after(DEADLINE):
        async with Client(server(), mode=settings["mode"], message_handler=on_message) as client:
            assert client.protocol_version == settings["version"], client.protocol_version
            assert len(client.instructions) < 1500
            while "jobs__wait" not in [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]:
                await anyio.sleep(0.02)  # stdio: the process is still connecting to the engine
            await browse(client)
            await prompts(client)
            await progress(client)
            await cancel(client)
            if settings["mode"] == "auto":
                await hear_of_edits_by_listening(client)
            else:
                await hear_of_edits_by_subscribing(client, heard)
    print("done")


anyio.run(main)
