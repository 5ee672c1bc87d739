#include "functions/builtin_docs.h"

namespace iii::directory {

namespace {

constexpr const char* kDirectory = R"(---
title: iii-directory
type: index
description: >-
  Find out what can be done on this bus: skills say when and why to use which function, prompts are ready
  templates. Start here when you do not know which function to call.
---
# iii-directory

Skills are short documents about functions: when to reach for them, in which order, what to watch out for.
Prompts are templates for recurring requests. This directory serves both, always as they are on disk now.

## When to use it

- You have a task and do not know the functions: `directory::skills::index` gives one paragraph per worker.
- You know the worker or a word: `directory::skills::list` with `prefix` (`database/`) or `search`.
- You have an id: `directory::skills::get` with `id`. `database`, `database/index`, `database/SKILL.md` and
  `iii://database` mean the same document.
- You want a template: `directory::prompts::list`, then `directory::prompts::get` with `name`.
- A file you wrote does not show up: `directory::doctor` accounts for every file and says why.

## Two kinds of ids

A skill id has slashes (`database/query`) and is read with `directory::skills::get`. A function id has double
colons (`state::set`) and is called. A row's `function_id` names the function that the skill is about.

## Errors

`D110 not_found` and `D210 not_found` name what is near and what to call next; `D112` means that a function id
was given where a skill id belongs.

## Boundaries

The directory explains functions and never calls them for you. What is registered right now, with schemas, is the
engine's own knowledge: `engine::functions::list` and `engine::functions::info`.
)";

constexpr const char* kEngine = R"(---
title: iii
type: index
description: >-
  The function bus itself: workers register functions and triggers, anybody calls them by id. How to look
  around, call, keep state and react to events.
---
# iii

Workers connect to one engine, register functions, and call each other through it by id. A function id looks like
`service::name`; the engine's own begin with `engine::`, `state::` and `configuration::`.

## Look around

- `engine::functions::list` with `search`, `prefix` or `worker`: what can be called now.
- `engine::functions::info` with `function_id` (or up to 32 `function_ids`): input and output schema.
- `engine::workers::list` and `engine::workers::info`: who is connected and what they offer.
- `engine::triggers::list` and `engine::triggers::info`: what can be reacted to.

## Call

Send an object as input. An answer is the result, or an error with `code` and `message`; `function_not_found`
means that nobody serves that id at the moment. A call without need of an answer can be sent as void.

## Keep state

`state::set`, `state::get`, `state::update`, `state::delete` and `state::list` keep JSON values under a scope and a
key. The trigger type `state` tells about changes.

## React

Bind a function of yours to a trigger type with `engine::register_trigger` (`trigger_type`, `function_id`,
`config`). A binding to a type that does not exist yet waits until somebody provides it.
)";

}  // namespace

std::vector<content::BuiltinDocument> builtin_documents() {
  return {{"iii-directory/SKILL.md", kDirectory}, {"iii/SKILL.md", kEngine}};
}

}  // namespace iii::directory
