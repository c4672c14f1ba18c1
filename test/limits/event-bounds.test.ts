// Every member of an event has a greatest size [E1]. The union states types; what bounds each member stands where it enters a run: at the
// door, in a definition's parser, where a model's reply or a tool's result arrives. This table says where, for each member.
//
// A new member without a bound of its own fails here until its bound is named.

import { existsSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { Envelope, Fact } from "../../src/core/run/event.ts"
import { unboundedMembers } from "./unbounded-members.ts"

interface Bound {
  /** Events and their members: `TYPE MEMBER`, where MEMBER may go on with `.`, `[` or `:`. */
  readonly of: RegExp
  /** File of src and the name in it that bounds the member. */
  readonly by: readonly (readonly [file: string, name: string])[]
  readonly why: string
}

const at = (of: RegExp, why: string, ...by: (readonly [string, string])[]): Bound => ({ of, why, by })
const ARGS = ["core/schema/arg-value.ts", "MAX_ARG_BYTES"] as const
const GIVEN = ["core/schema/bounded.ts", "MAX_GIVEN"] as const
const NAMES = ["core/flow/path-id.ts", "NAME"] as const
const REPLY = ["core/run/session/calls.ts", "MAX_REPLY_CHARS"] as const
const FILE = ["core/flow/parse/yaml-scan.ts", "MAX_BYTES"] as const
const CATALOG = ["engine/catalog/catalog-diagnostics.ts", "MAX_FILES"] as const
const CHILD = ["core/run/steps/children.ts", "MAX_OUTPUT_CHARS"] as const
const EXPANDED = ["core/flow/template.ts", "MAX_EXPANDED"] as const
const VALUE = ["cloudflare/sandbox/sandbox-harness.ts", "MAX_RESULT_BYTES"] as const

const BOUNDS: readonly Bound[] = [
  at(
    /^(run\.started trigger\.score\.\w+|(run\.scored|step\.scored|feedback\.given) (scorer|version|judge|experiment|ask)): a string/,
    "names of scorers, versions of 12 digits, and ids that this build makes",
    NAMES,
    ["engine/catalog/score/known-scorers.ts", "VERSION_DIGITS"],
  ),
  at(
    /^((run|step)\.scored (level|reason|error)|step\.finished message): a string/,
    "the text of a level, and what a scorer said or failed with, cut",
    ["core/score/scorer-fields.ts", "MAX_LEVEL_TEXT"],
    ["core/run/said/score.ts", "MAX_REASON"],
  ),
  at(
    /^feedback\.given (user|comment|correction)/,
    "the door",
    ["api/quality/scores.ts", "MAX_USER"],
    ["api/quality/scores.ts", "MAX_COMMENT"],
    ["api/quality/scores.ts", "MAX_CORRECTION"],
  ),
  at(
    /^\S+ (step|agent|branch|branches\[\]|target|by|stepType|kind|code|name|flow|tenant|staging|session|thread|model|fallback|state\.model): a string/,
    "names and ids of definitions, keys and sessions, all with patterns",
    NAMES,
    ["core/run/session/sticky.ts", "SESSION_ID"],
    ["core/run/thread.ts", "THREAD"],
    ["api/tenants.ts", "TENANT_ID"],
  ),
  at(
    /^\S+ (id|key|asker|run|head|child\.run|child\.head|digest|system|request|parent\.(run|step|root)|chunks\[\]|(trigger|starters\[\])\.\w+|trace\.\w+|truncated\.handle|pinned\.flow\.\w+|pinned\.rehearsal|decision|stopReason): a string/,
    "ids and hashes that this build makes, and words of closed sets",
    ["core/run/key.ts", "Key"],
    ["core/trace.ts", "Trace"],
  ),
  at(
    /^run\.started trigger\.missing/,
    "a few references of the hook's mapping, each shortened",
    ["core/run/missing.ts", "MOST_MISSING"],
    ["core/text/pointer.ts", "short"],
  ),
  at(/^run\.started starters: a list/, "who else started it, the newest", ["engine/run/begin/gathered-start.ts", "MOST_STARTERS"]),
  at(/^run\.started callbacks/, "one for each start of a batch", ["core/start/start-block.ts", "START_BOUNDS"]),
  at(/^run\.started trigger\.overruled/, "two members of a block, once each", ["core/start/start-block.ts", "FINAL_MEMBERS"]),
  at(
    /^run\.(started|forked) start\.\w+\.(pool|key): a string/,
    "the id of a flow or a name of the same length, and a key that is cut by its hash",
    NAMES,
    ["core/language/resolve-start.ts", "MAX_KEY"],
  ),
  at(
    /^\S+ (batch|batch\.run|batch\.step|provider): a string/,
    "the provider's name of a batch, and ids of this build and of definitions",
    ["models/batch/batch-door.ts", "nameIn"],
    NAMES,
  ),
  at(/^\S+ (origins|trusted): a list/, "each of a few words once", ["core/flow/origin.ts", "ORIGINS"]),
  at(/^\S+ ([\w.]+): a number/, "counts and times that this build computes from what is bounded", ["core/run/event.ts", "Envelope"]),
  at(
    /^run\.(started|forked) trial/,
    "ids of this build and of rows, and the name of a variant",
    ["api/quality/experiments.ts", "MAX_NAME"],
    NAMES,
  ),
  at(
    /^run\.(started|forked) task/,
    "the door, a hook's mapping, or a parent's expanded text",
    GIVEN,
    ["core/webhook/mapping.ts", "MAX_GIVEN"],
    EXPANDED,
  ),
  at(
    /^run\.(started|forked) inputs/,
    "the door, a hook's mapping, or a parent's values",
    GIVEN,
    ["core/webhook/mapping.ts", "MAX_INPUTS"],
    EXPANDED,
  ),
  at(
    /^run\.started conversation/,
    "the newest part of a conversation",
    ["core/run/protocol/conversation.ts", "MAX_SAID"],
    ["core/run/protocol/conversation.ts", "MAX_CONVERSATION_BYTES"],
  ),
  at(/^run\.(started|forked) payload/, "a delivery's body", ["http/middleware/body.ts", "BODY_LIMIT"]),
  at(
    /^(run\.started files|file\.put file|file\.changed path)/,
    "the door, a mapping or a schedule",
    ["core/run/given-file.ts", "MAX_GIVEN_FILES"],
    ["core/text/path.ts", "MAX_PATH_BYTES"],
  ),
  at(
    /^tool\.returned wrote/,
    "paths of the workspace",
    ["core/run/session/files/step-files.ts", "MAX_STEP_FILES"],
    ["core/text/path.ts", "MAX_PATH_BYTES"],
  ),
  at(
    /^context\.read (text|files|outside)/,
    "the agent's context files",
    ["core/flow/agent.ts", "MAX_CONTEXT_FILES"],
    ["core/run/session/context-files.ts", "MAX_CONTEXT_BYTES"],
  ),
  at(/^run\.(started|forked) tags/, "the door: 20 of 100 characters", ["api/run/runs.ts", "max(20)"]),
  at(
    /^step\.opened attach/,
    "paths of the workspace that come with a task",
    ["core/run/session/files/attaching.ts", "MAX_WANTED"],
    ["core/text/path.ts", "MAX_PATH_BYTES"],
  ),
  at(
    /^(tool\.returned|context\.read) (attached|unseen)/,
    "files of the workspace that a model is shown",
    ["core/run/session/files/attachment.ts", "MAX_ATTACHED"],
    ["core/run/session/files/attaching.ts", "MAX_WANTED"],
    ["core/text/path.ts", "MAX_PATH_BYTES"],
  ),
  at(/^run\.started callback/, "the door", ["core/schema/bounded.ts", "MAX_URL"], ["core/project/callback-body.ts", "NOTICES.length"]),
  at(/^run\.(started|forked) prices/, "the tenant's prices of the models of the run's agents", ["core/money/price-table.ts", "MAX_PRICES"]),
  at(
    /^(run\.started|rules\.changed) rules/,
    "the tenant's policy and its scopes",
    ["core/tool/policy/read-rules.ts", "MAX_RULES"],
    ["ports/secrets.ts", "MOST_SCOPES"],
  ),
  at(
    /^run\.(started|forked) pinned/,
    "files of the catalog, flows of one run, and registered tools",
    CATALOG,
    ["engine/catalog/pin/pin-flow.ts", "MAX_FLOWS"],
    ["http/tools/registered-tools.ts", "MAX_TOOLS"],
  ),
  at(/^(file\.changed hash|run\.forked source)/, "hashes and ids that this build makes", ["core/run/event.ts", "Envelope"]),
  at(
    /^run\.forked patch/,
    "the door: names of agents and paths, each with a hash or a model",
    ["api/run/forks.ts", "MAX_PATCHED"],
    ["core/schema/bounded.ts", "MAX_NAME"],
  ),
  at(/^run\.(waiting|paused|resumed) reason/, "sentences of this build, with names in them", NAMES),
  at(/^(run\.ended (output|error)|undo\.asked error)/, "the outputs of a step, and the message of a failure", REPLY, CHILD, VALUE, [
    "models/reply/failure.ts",
    "MAX_DETAIL",
  ]),
  at(/^step\.opened (task|inputs|body|preamble|question|values)/, "expanded templates of a definition", EXPANDED, FILE),
  at(/^step\.opened (quoted|apart)/, "references of a task or a prompt, and what they are expanded to", EXPANDED, FILE),
  at(
    /^(step\.opened|tool\.returned) (tools|searched)/,
    "tools of the build and registered ones",
    ["http/tools/registered-tools.ts", "MAX_TOOLS"],
    ["core/tool/mcp-tool.ts", "MOST_TOOLS"],
  ),
  at(/^session\.opened body/, "the prompt of an earlier run's step", EXPANDED, FILE),
  at(/^session\.opened chunks/, "chunks of a sticky session, which has a size in all", [
    "cloudflare/tenant/sessions/session-store.ts",
    "MAX_BYTES",
  ]),
  at(
    /^step\.(finished|offered) (summary|files|artifacts|outputs|text|branches)/,
    "a finish is a call of a tool, or the value of a handler, or outputs of a child",
    ARGS,
    REPLY,
    VALUE,
    CHILD,
  ),
  at(/^lanes\.moved (here|gone|ahead)/, "steps and branches of a flow, and how many branches run separately", FILE, [
    "core/run/steps/lanes.ts",
    "MAX_LANES",
  ]),
  at(/^child\.ended (summary|files|artifacts|outputs)/, "the report of a child", CHILD),
  at(/^model\.replied text/, "a reply", REPLY),
  at(/^model\.replied responseModel/, "cut where a reply is read", ["models/ai-sdk.ts", "MAX_MODEL_CHARS"]),
  at(
    /^model\.replied toolCalls/,
    "a reply's calls",
    ["core/run/session/calls.ts", "MAX_KEPT_CALLS"],
    REPLY,
    ["core/run/session/calls.ts", "MAX_ARGS"],
    ["core/run/session/calls.ts", "MAX_RAW"],
  ),
  at(
    /^step\.called toolCalls/,
    "a handler's calls, or the one of a tool step, whose templates have a size",
    VALUE,
    ["core/run/own/admit-calls.ts", "MAX_OWN_CALLS"],
    ["core/run/session/calls.ts", "MAX_ARGS"],
    ["core/run/session/calls.ts", "MAX_RAW"],
  ),
  at(
    /^model\.replied plans/,
    "plans that calls of the reply execute, as they are stored",
    ["core/run/session/calls.ts", "MAX_KEPT_CALLS"],
    ARGS,
  ),
  at(
    /^model\.failed message/,
    "what a provider said",
    ["models/reply/failure.ts", "MAX_DETAIL"],
    ["engine/run/call/model-turn.ts", "MAX_FAULT_CHARS"],
  ),
  at(/^\S+ (callId|tool): a string/, "cut where a reply is read", ["core/run/session/calls.ts", "slice(0, 256)"]),
  at(
    /^(child\.ended|tool\.returned child\.)\.?\s?effects/,
    "calls that the guard admitted, and how many a run keeps",
    ["core/run/effects/kept-bounds.ts", "MAX_KEPT"],
    ARGS,
  ),
  at(/^(effect\.settled undoes|(undo|commit)\.asked keys)/, "keys that this build makes", ["core/run/effects/kept-bounds.ts", "MAX_KEPT"]),
  at(/^tool\.called args/, "the guard", ARGS, ["core/schema/arg-value.ts", "MAX_ARG_DEPTH"]),
  at(
    /^(tool\.returned|effect\.settled) content/,
    "a tool's result",
    ["core/text/truncate.ts", "OUTPUT_LIMITS"],
    ["engine/run/call/tool-outcome.ts", "MAX_IMAGES_CHARS"],
    ["engine/run/call/tool-outcome.ts", "MAX_PARTS"],
    ["engine/run/call/tool-outcome.ts", "MAX_MEDIA_TYPE"],
  ),
  at(/^tool\.returned details/, "a tool's result", ["engine/run/call/tool-outcome.ts", "MAX_DETAILS_BYTES"]),
  at(/^(tool\.refused|effect\.settled) reason/, "sentences of this build, with parts of arguments in them", ARGS, [
    "core/schema/sentence.ts",
    "MAX_TOLD",
  ]),
  at(/^finish\.rejected errors/, "faults of arguments", ARGS, ["core/schema/sentence.ts", "MAX_TOLD"]),
  at(/^reminder\.sent message/, "sentences of this build with the names of outputs", FILE),
  at(/^warning message/, "sentences of this build", FILE),
  at(
    /^child\.asked (open|decided)/,
    "questions as the run below asks them, and their answers: how many a run knows, and how much of them",
    ["core/run/steps/child-question-bounds.ts", "MAX_CHILD_QUESTIONS"],
    ["core/run/steps/child-questions.ts", "MAX_CHARS"],
    ["core/run/steps/child-questions.ts", "MAX_ANSWER_CHARS"],
  ),
  at(/^interaction\.asked (payload|schema|default)/, "the arguments of ask_user, or the call to approve", ARGS),
  at(/^interaction\.expired default/, "the arguments of ask_user", ARGS),
  at(/^interaction\.answered (answer|notes|custom|feedback|args)/, "the door", GIVEN, ["api/run/interactions.ts", "65_536"], ARGS),
  at(/^tool\.(returned|uncertain) person/, "the answer to the approval", GIVEN, ["api/run/interactions.ts", "65_536"], ARGS),
  at(
    /^steer\.queued message/,
    "the door, and how many may wait",
    ["api/run/runs.ts", "65_536"],
    ["core/run/session/admit-session.ts", "MAX_STEERS"],
  ),
  at(/^context\.compacted summary/, "a model's summary", ["core/run/budget/budget.ts", "SUMMARY_TOKENS"], REPLY),
  at(
    /^signal\.received payload/,
    "the door, and how much may wait",
    ["http/middleware/body.ts", "BODY_LIMIT"],
    ["core/steps/wait.ts", "MAX_SIGNAL_CHARS"],
  ),
  at(/^code\.logged messages/, "the sandbox", ["cloudflare/sandbox/sandbox-harness.ts", "MAX_LOGS"], ["ports/sandbox.ts", "MAX_TEXT"]),
]

const MEMBERS = Fact.options.flatMap((fact) =>
  unboundedMembers(z.toJSONSchema(fact, { io: "output", unrepresentable: "any" })).map((member) => `${fact.shape.type.value} ${member}`),
)

describe("members of events", () => {
  test.each(Fact.options.map((fact) => fact.shape.type.value))("[E1] every member of %s has a named bound", (type) => {
    const open = MEMBERS.filter((member) => member.startsWith(`${type} `))
    expect(open.filter((member) => !BOUNDS.some(({ of }) => of.test(member)))).toEqual([])
  })

  test("[E1] every row of the table is about a member that exists", () => {
    expect(BOUNDS.filter(({ of }) => !MEMBERS.some((member) => of.test(member))).map(({ of }) => of.source)).toEqual([])
  })

  test("[E1] what bounds a member exists where the table says", () => {
    for (const [file, name] of BOUNDS.flatMap(({ by }) => by)) {
      const path = new URL(`../../src/${file}`, import.meta.url)
      expect([file, existsSync(path)]).toEqual([file, true])
      expect([file, name, readFileSync(path, "utf8").includes(name)]).toEqual([file, name, true])
    }
  })

  test("[E1] the envelope has numbers and a hash alone", () => {
    expect(Object.keys(Envelope.shape)).toEqual(["seq", "at", "v", "prev"])
  })
})
