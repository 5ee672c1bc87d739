#include "directory/reading/builtin_docs.h"

namespace iii::directory {

namespace {

constexpr const char* kDirectory = R"(---
name: iii-directory
title: iii-directory
type: index
description: >-
  Find out what can be done on this bus: skills say when and why to use which function, prompts are command
  templates, and the registry lists workers that are not installed. Start here when you do not know which
  function to call.
---
# iii-directory

Skills are short documents about functions: when to use them, in which order, and what to avoid. Prompts are
templates that a person runs. The directory serves both as they are on disk now, shows what the public registry
has, and downloads the skills of a worker.

## When to use it

- You have a task and do not know the functions: `directory::skills::index` gives one paragraph per worker.
- You know the worker or a word: `directory::skills::list` with `prefix` (`database/`) or `search`.
- You have an id: `directory::skills::get` with `id`. `database`, `database/index`, `database/SKILL.md` and
  `iii://database` are the same document.
- You want a template: `directory::prompts::list`, then `directory::prompts::get` with `name`.
- You need a worker that is not installed: `directory::registry::workers::list` with `search`, then
  `directory::registry::workers::info` for its functions and schemas.
- You want the skills of a published worker here: `directory::skills::download_from_registry`; of a git repository:
  `directory::skills::download_from_repo`. Files edited here are kept.
- A file you wrote is missing: `directory::doctor` says for every file whether it is served, and why not.
- You cache the lists: bind a function to `directory::skills::on-change` or `directory::prompts::on-change`.
  `directory::changes` lists what a subscriber missed.

## Two kinds of ids

A skill id has slashes (`database/query`) and is read with `directory::skills::get`. A function id has double
colons (`state::set`) and is called. A row's `function_id` names the function that the skill documents. Use ids as
the lists show them; a worker's overview is its bare name, with the `iii-` prefix if it has one.

## Errors

A failed call says what is wrong in one text: a code, often `Did you mean:`, and `Next:` with the function to call.
Follow it instead of repeating the same input. `D110` and `D210`: no such skill or prompt. `D112`: a function id was
given instead of a skill id. `D310`: the registry or repository does not have it. `D320`: the registry cannot be
reached.

## Boundaries

- Only skills of installed workers are shown, unless the operator turned that filter off; the pages `iii` and
  `iii-directory` always are. When a skill is missing, install its worker, or download its skills.
- Only downloads, `directory::lock::update` and `directory::lock::restore` write to the disk.
- The directory describes functions and never calls them for you. For what is connected now, with schemas, call
  `engine::functions::list` and `engine::functions::info`.
- Answers of the registry are cached for about a minute.
)";

constexpr const char* kEngineDocument = R"(---
name: iii
title: iii
type: index
description: >-
  The function bus itself: workers register functions and triggers, and every worker can call them by id. How to
  find functions, call them, store state and react to events.
---
# iii

Workers connect to one engine, register functions, and call each other through it by id. A function id looks like
`service::name`; the engine's own begin with `engine::`, `state::` and `configuration::`.

## Find functions

- `engine::functions::list` with `search`, `prefix` or `worker`: what can be called now.
- `engine::functions::info` with `function_id` (or up to 32 `function_ids`): input and output schema.
- `engine::workers::list` and `engine::workers::info`: which workers are connected and what they offer.
- `engine::triggers::list` and `engine::triggers::info`: which events there are.

## Call

Send an object as input. An answer is the result, or an error with `code` and `message`; `function_not_found`
means that no worker serves that id at the moment. A call whose answer is not needed can be sent as void.

## Store state

`state::set`, `state::get`, `state::update`, `state::delete` and `state::list` store JSON values under a scope
and a key. The trigger type `state` reports changes.

## React

Bind a function of yours to a trigger type with `engine::register_trigger` (`trigger_type`, `function_id`,
`config`). A binding to a type that does not exist yet waits until a worker provides it.
)";

}  // namespace

std::vector<content::BuiltinDocument> builtin_documents() {
  return {{"iii-directory/SKILL.md", kDirectory}, {"iii/SKILL.md", kEngineDocument}};
}

}  // namespace iii::directory
