// Bounds of src/core: files, flows, arguments, schemas, patterns, runs.

import type { LimitTable } from "./limit.ts"

const BELOW = "core/run/child-questions.test.ts"
const CONVERSATION = "core/run/doors/conversation.test.ts"
const RESPONSES = "core/run/doors/responses-frames.test.ts"
const ARGS = "core/schema/validate-args.test.ts"
const PATTERN = "core/schema/linear-pattern.test.ts"
const SOURCE = "core/flow/parse/source.test.ts"
const CODES = "core/diagnostic-codes.test.ts"
const TESTS = "core/case/parse-tests.test.ts"
const MCP = "core/tool/mcp-tool.test.ts"
const ASKED = "core/tool/elicitation.test.ts"
const OPENAPI = "core/tool/openapi.test.ts"
const API = "limits/api-bounds.test.ts"
const BEYOND = "beyond its bound is a fault with its place, its limit and its size"
const REDUCED = "limits/core-bounds.test.ts"
const MANY = "core/run/session/many-calls.test.ts"
const ATTACHED = "core/run/session/attachment.test.ts"
const ATTACHING = "core/run/session/attaching.test.ts"
const CIRCLE = "engine/catalog/catalog-size.test.ts"
const SECRETS = "core/secrets/redact.test.ts"

export const CORE: LimitTable = {
  "core/webhook/filter.ts": {
    MOST_LISTED: [
      "names of members that a filter's reason lists",
      "the reason counts the others",
      ["core/webhook/filter.test.ts", "lists eight members and counts the others"],
    ],
  },
  "core/run/missing.ts": {
    MOST_MISSING: [
      "references without a value that a delivery and its run name",
      "the others are not named",
      ["core/webhook/mapping.test.ts", "names the first twenty"],
    ],
  },
  "core/run/failure/shape.ts": {
    SHAPED_CHARS: [
      "characters of a message that its shape looks at",
      "what follows does not count",
      ["core/run/failure/shape.test.ts", "what comes after the first 1,000 characters"],
    ],
    SHAPE_CHARS: ["characters of a shape", "the rest is cut", ["core/run/failure/shape.test.ts", "has at most 300 characters"]],
  },
  "core/run/failure/group.ts": {
    GROUP_DAYS: [
      "days that a group of failures counts one by one",
      "older ones are in its count",
      ["core/run/failure/group.test.ts", "counts the same in any order"],
    ],
    GROUP_RUNS: [
      "latest runs of a group of failures",
      "the oldest leaves",
      ["core/run/failure/group.test.ts", "counts the same in any order"],
    ],
  },
  "core/run/usage/tally.ts": {
    MOST_TALLIED: [
      "models, agents and tools of a run whose usage is counted by name",
      "the rest is counted together",
      ["core/run/usage/usage.test.ts", "of more names than a run may have"],
    ],
  },
  "core/project/hook-body.ts": {
    MAX_TEMPLATE: ["characters of a hook's filter and of `dedupe`", "422 at the member", [API, BEYOND]],
  },
  "core/project/openapi-import.ts": {
    MAX_DOCUMENT: ["characters of an OpenAPI document", "422 at `/openapi`", [API, "every member of the body"]],
  },
  "core/project/policy-body.ts": {
    MAX_RULES: [
      "entries of a list of the policy, as the document says",
      "422 at the list",
      ["http/openapi/openapi.test.ts", "the document and the parser agree"],
    ],
  },
  "core/project/schedule-body.ts": { MAX_TASK: ["characters of a schedule's task", "422 at `/task`", [API, BEYOND]] },
  "core/run/views/span-content.ts": {
    MAX_CONTENT_CHARS: [
      "characters of what was said in one attribute of a span",
      "the newest messages stay",
      ["core/run/views/span-content.test.ts", "a long conversation keeps its newest messages"],
    ],
    MAX_TEXT_CHARS: ["characters of one text in it", "the rest is cut", ["core/run/views/span-content.test.ts", "a long text is cut"]],
  },
  "core/run/doors/conversation.ts": {
    MAX_SAID: ["entries of a conversation that a run keeps", "the oldest are left out", [CONVERSATION, "the newest 200 entries are kept"]],
    MAX_CONVERSATION_BYTES: [
      "bytes of a conversation that a run keeps",
      "the oldest are left out",
      [CONVERSATION, "at most 128 KiB in UTF-8"],
    ],
  },
  "core/run/doors/given-answers.ts": {
    MAX_QUESTIONS: [
      "questions of a run that its client's history is compared with, the newest",
      "an older one counts as text from outside",
      ["core/run/doors/given-answers.test.ts", "a question that it asked"],
    ],
  },
  "core/run/doors/response-items.ts": {
    MAX_SHOWN: ["characters of a tool's output in a Responses stream", "the rest is cut", [RESPONSES, "a long output is cut"]],
  },
  "core/run/doors/responses-frames.ts": {
    MAX_REPEATED: [
      "characters of the items that a response repeats at its end",
      "later ones are there without their texts",
      [RESPONSES, "later ones are there without their texts"],
    ],
  },
  "core/instance-name.ts": { MAX_LENGTH: ["characters of an instance's name", "the name is refused", [REDUCED, "an instance's name"]] },
  "core/diagnostic.ts": {
    MOST_SHOWN: [
      "diagnostics shown of a file",
      "`-MORE` counts the rest",
      ["engine/catalog/catalog-size.test.ts", "of one file 100 problems"],
    ],
  },
  "core/json.ts": {
    MOST_LEVELS: [
      "levels of a call's arguments in a reply, of a handler's value, of a dispatcher's answer",
      "the call is refused, and only the start of its arguments is kept; the step or the plan fails",
      [MANY, "arguments over 256 KiB and deeper than 64 levels"],
    ],
  },
  "core/money/model-name.ts": {
    MAX_NAME: [
      "characters of a model's name that its price is looked up by",
      "the rest is not read",
      ["core/money/prices.test.ts", "a long name"],
    ],
  },
  "core/flow/code-file.ts": { MAX_CODE_BYTES: ["bytes of a handler", "`CV-LIMIT`: the file is not written", [REDUCED, "a handler"]] },
  "core/flow/flow-face.ts": {
    MAX_NESTING: ["levels of child runs", "`FV-FLOW-DEPTH`, and the child does not start", [CODES, "shows ${code}"]],
  },
  "core/flow/flow-inputs.ts": {
    MAX_FAULTS: ["unknown inputs that one refusal names", "further ones are not named", [REDUCED, "unknown inputs"]],
  },
  "core/flow/model-ref.ts": {
    MAX_MODELS: [
      "models that take turns",
      "422, or `AV-MODEL`",
      ["http/settings/settings.test.ts", "a role whose model no provider sells"],
    ],
  },
  "core/flow/parse/parse-agent.ts": {
    MAX_STOPS: ["texts at which an answer ends", "`AV-FIELD`", ["core/flow/parse/sampling.test.ts", "is AV-FIELD"]],
    MAX_STOP_CHARS: ["characters of such a text", "`AV-FIELD`", ["core/flow/parse/sampling.test.ts", "is AV-FIELD"]],
  },
  "core/case/rehearsal.ts": {
    MOST_ERRORS: [
      "faults told of a scripted provider's turns",
      "further ones are not told",
      ["core/case/rehearsal.test.ts", "turns with 200,000 faults"],
    ],
    MAX_DELAY: ["milliseconds of a rehearsed delay", "`RV-TURN`", ["core/case/rehearsal.test.ts", "a delay of hours is refused"]],
  },
  "core/flow/template.ts": {
    MAX_EXPANDED: [
      "characters that values add to a template",
      "the rest is cut, with a warning in the journal",
      ["engine/run/session/templates.test.ts", "a step's input has a size limit"],
    ],
  },
  "core/flow/check/course.ts": {
    MAX_WORK: ["places that the check of a flow's course visits", "the course is computed without exclusions"],
  },
  "core/flow/check/flow-paths.ts": {
    BUDGET: ["steps of the search for paths", "the check reports what it found so far"],
    MAX_WORDS: ["names in a message", "further names are left out"],
  },
  "core/flow/check/nesting.ts": {
    SEARCHED: ["uses of flows that are searched to name a circle", "its first two flows are named", [CIRCLE, "a circle is named once"]],
    MOST_NAMED: ["flows that the message about a circle names", "further ones are counted", [CIRCLE, "a circle is named once"]],
  },
  "core/flow/check/proof.ts": {
    MAX_INPUT: [
      "input tokens that the proof reckons for a call without a known window",
      "the proof is wider",
      ["core/flow/check/proof.test.ts", "at most a full window and a full answer"],
    ],
    MAX_OUTPUT: [
      "output tokens that the proof reckons for a call",
      "the proof is wider",
      ["core/flow/check/proof.test.ts", "at most a full window and a full answer"],
    ],
    MAX_TURNS: [
      "turns that the proof reckons for a session",
      "the proof is wider",
      ["core/flow/check/proof.test.ts", "at most a full window and a full answer"],
    ],
  },
  "core/case/case-fields.ts": {
    MAX_CASE_NAME: ["characters of a case's name", "`TV-NAME`", [TESTS, "a name that is too long, and a file of nothing but commas"]],
  },
  "core/case/parse-tests.ts": {
    MAX_CASES: ["cases of a flow's tests", "`TV-LIMIT`", [TESTS, "more than 100 cases are one fault"]],
  },
  "core/policy/gate-setting.ts": {
    MAX_GATES: ["rules of the gate", "422 at the member", [REDUCED, "rules of the gate"]],
    MAX_RECORDED: ["recorded runs that a write is tried on", "422 at the member", [REDUCED, "rules of the gate"]],
  },
  "core/case/tested-run.ts": {
    MAX_FAILURES: ["failures shown of a case", "further ones are left out", ["core/case/tested-run.test.ts", "at most 50 failures"]],
  },
  "core/flow/parse/report.ts": { MAX_REPORTED: ["diagnostics of a file", "`-MORE` stands for the rest", [CODES, "shows ${code}"]] },
  "core/flow/parse/yaml-scan.ts": {
    MAX_BYTES: ["bytes of a YAML or Markdown file", "`-LIMIT`: the file is not read", [SOURCE, "size is counted in bytes"]],
    MAX_DEPTH: ["levels of nesting in a file", "`-LIMIT`", [SOURCE, "depth: 20 levels are read, 21 are not"]],
    MAX_KEYS: ["keys of a file", "`-LIMIT`", [SOURCE, "keys: the limit is counted over the whole file"]],
    MAX_LEXEMES: ["lexemes of a file", "`-LIMIT`", ["core/flow/parse/bad-input.test.ts", "answered in under a second of CPU"]],
    MAX_TEST_BYTES: ["bytes of a file of tests", "`TV-LIMIT`", [TESTS, "keys are not too many for tests"]],
    MAX_TEST_DEPTH: ["levels of nesting in a file of tests", "`TV-LIMIT`", [CODES, "shows ${code}"]],
    MAX_TEST_KEYS: ["keys of a file of tests", "`TV-LIMIT`", [TESTS, "keys are not too many for tests"]],
    MAX_TEST_LEXEMES: ["lexemes of a file of tests", "`TV-LIMIT`", [TESTS, "a name that is too long, and a file of nothing but commas"]],
  },
  "core/money/amount.ts": { MAX_USD: ["US dollars of an amount or a price", "422 at the member", [REDUCED, "an amount of money"]] },
  "core/money/context-window.ts": { MAX_CACHED: ["models whose window is remembered", "the cache is emptied"] },
  "core/plans/plan-body.ts": {
    MAX_ACTIONS: ["actions of a plan", "the plan is refused", [REDUCED, "actions and references of a plan"]],
    MAX_REFERENCES: ["references of a plan", "the plan is refused", [REDUCED, "actions and references of a plan"]],
  },
  "core/policy/condition.ts": {
    MAX_TEXT: [
      "characters of a condition",
      "the condition is refused where it is saved",
      ["core/policy/condition.test.ts", "length and number of comparisons are limited"],
    ],
    MAX_COMPARISONS: [
      "comparisons of a condition",
      "the condition is refused where it is saved",
      ["core/policy/condition.test.ts", "length and number of comparisons are limited"],
    ],
  },
  "core/policy/parse-policy.ts": {
    MAX_PATTERN: ["characters of a denylist's pattern and reason", "422 at the rule", [REDUCED, "a policy"]],
  },
  "core/policy/read-rules.ts": {
    MAX_RULES: ["entries of a list of the policy", "422 at the list", [REDUCED, "a policy"]],
    MAX_TEXT: ["characters of a name or pattern of the policy", "422 at the entry", [REDUCED, "a policy: 500 entries"]],
  },
  "core/policy/shell-commands.ts": {
    MAX_DEPTH: [
      "levels of nested command substitutions",
      "the call is refused: `denylist`",
      ["core/policy/shell-commands.test.ts", "a line that is too deep or too long to scan"],
    ],
    MAX_COMMANDS: [
      "commands of a line",
      "the call is refused: `denylist`",
      ["core/policy/shell-commands.test.ts", "a line that is too deep or too long to scan"],
    ],
  },
  "core/references/reference-kind.ts": {
    MAX_FIELDS: ["fields of a glimpse", "422 at `/glimpse/fields`", [REDUCED, "a glimpse"]],
    MAX_ITEMS: ["items of a list in a glimpse", "422 at `/glimpse/max_items`", [API, BEYOND]],
    MAX_GLIMPSE_BYTES: [
      "bytes of a glimpse",
      "the glimpse gives only the value's size and names",
      ["tools/plans/references.test.ts", "shows a glimpse"],
    ],
  },
  "core/run/admit.ts": {
    LOST_LIMIT: ["times that one action is lost", "its step fails with source `engine`", ["core/run/recovery.test.ts", "LOST_LIMIT"]],
    LOST_CALLS: [
      "times that one tool call is begun",
      "it has failed, or its outcome is unknown",
      ["core/run/recovery.test.ts", "a call that was lost twice is told as failed"],
    ],
  },
  "core/run/effects/keep.ts": {
    MAX_SIMULATED: [
      "characters of what a tool's `simulate` says",
      "the rest is left out",
      ["core/run/effects/staged.test.ts", "a long simulation is cut"],
    ],
  },
  "core/run/effects/kept-bounds.ts": {
    MAX_KEPT: [
      "calls that a staged run and its children keep",
      "a further one is refused with code `too_many`",
      ["core/run/effects/staged.test.ts", "a run keeps 500 calls"],
    ],
    MAX_KEPT_CHARS: [
      "characters of their arguments",
      "a further one is refused with code `too_many`",
      ["core/run/effects/staged.test.ts", "a run keeps 500 calls"],
    ],
  },
  "core/run/notice-body.ts": {
    MAX_LINE: [
      "characters of a paragraph of a message for a person",
      "its end is left out",
      ["core/run/notice-body.test.ts", "Slack's limits hold"],
    ],
    MAX_TITLE: [
      "characters of the title of a message for a person",
      "its end is left out",
      ["core/run/notice-body.test.ts", "Slack's limits hold"],
    ],
  },
  "core/run/apply.ts": { MAX_HEARD: ["ids of signals that a run remembers to recognize a repeat", "the oldest is forgotten"] },
  "core/run/budget/bill.ts": {
    MORE_TOKENS: [
      "tokens that a report may have beyond twice what its request can hold, where nothing is reserved",
      "the call counts as the most that it can use",
      ["core/run/budget/bill.test.ts", "a report of more than a request can hold"],
    ],
    MORE_TIMES: [
      "times what its request can hold, before those tokens",
      "the call counts as the most that it can use",
      ["core/run/budget/bill.test.ts", "a report of more than a request can hold"],
    ],
  },
  "core/run/budget/worst-case.ts": {
    MAX_OUTPUT_TOKENS: [
      "output tokens of a model whose agent declares none",
      "the provider ends the reply",
      ["core/run/budget/budget.test.ts", "its output limit shrinks with the budget"],
    ],
    SUMMARY_TOKENS: [
      "output tokens of a summary",
      "the provider ends the summary",
      ["limits/run-bounds.test.ts", "a request for a summary has 240,000"],
    ],
    SUMMARY_PROMPT_BYTES: ["bytes of a summary's instructions", "no longer instructions exist"],
  },
  "core/run/session/admit-elicitation.ts": {
    MAX_ROUNDS: [
      "times that the server of one call asks a person",
      "the tool fails",
      ["engine/run/elicitation.test.ts", "given up after ten rounds"],
    ],
  },
  "core/run/session/admit-session.ts": {
    MORE_TRIES: [
      "reminders and rejected finishes of a session",
      "the step fails: `agent_no_finish`",
      ["core/run/session/sessions.test.ts", "reminders and rejected finishes share two more tries"],
    ],
    MAX_STEERS: [
      "messages that wait for a step's next model call",
      "409 `too_many_steers`",
      ["core/run/session/steering.test.ts", "MAX_STEERS"],
    ],
  },
  "core/flow/agent.ts": {
    MAX_CONTEXT_FILES: ["context files of an agent", "further ones are not read", ["core/run/session/context-files.test.ts", "at most"]],
  },
  "core/text/word-rank.ts": {
    MAX_QUERY_WORDS: ["words of a search for tools", "further words do not count", ["core/text/word-rank.test.ts", "MAX_QUERY_WORDS"]],
  },
  "core/run/session/tool-search.ts": {
    MAX_TOOL_TOKENS: [
      "tokens of registered tools that are sent with every request, unless the agent has `max_tool_tokens`",
      "the agent finds them with `tool_search`",
      ["core/run/session/tool-search.test.ts", "MAX_TOOL_TOKENS"],
    ],
    MOST_SENT: [
      "tools of one request to a model",
      "registered ones are found with `tool_search`, and of those found the earliest give way",
      ["core/run/session/tool-search.test.ts", "more than a request holds"],
    ],
    MOST_FOUND: ["tools that one search finds", "the best ones are shown", ["core/run/session/tool-search.test.ts", "MOST_FOUND"]],
    MAX_NAMES_CHARS: [
      "characters of tool names in the prompt that tells of the search",
      "the list ends in …",
      ["core/run/session/tool-search.test.ts", "names the first"],
    ],
  },
  "core/run/session/context-files.ts": {
    MAX_CONTEXT_BYTES: [
      "bytes of all context files of an agent",
      "the rest is cut, and the text says so",
      ["core/run/session/context-files.test.ts", "is cut"],
    ],
  },
  "core/media/media.ts": {
    MAX_NODES: [
      "nodes of a PDF's tree that are asked for its pages",
      "further ones are not read",
      ["core/media/media.test.ts", "8 MiB of marks"],
    ],
  },
  "core/run/session/files/attachment.ts": {
    MAX_ATTACHED: [
      "pictures and PDFs that one request shows",
      "the oldest are left out, and a sentence says so",
      [ATTACHED, "the newest 20"],
    ],
    MAX_ATTACHED_BYTES: [
      "bytes of all pictures and PDFs that one request shows, and of one PDF",
      "the oldest are left out; a larger PDF is not shown; a sentence says so",
      [ATTACHED, "beyond a bound"],
    ],
    MAX_IMAGE_BYTES: ["bytes of a picture that a model is shown", "it is not shown, and a sentence says why", [ATTACHED, "beyond a bound"]],
    MAX_SIDE: ["pixels of a picture's longer side", "it is not shown, and a sentence says why", [ATTACHED, "beyond a bound"]],
    MAX_PDF_PAGES: ["pages of a PDF that a model is shown", "it is not shown, and a sentence says why", [ATTACHED, "beyond a bound"]],
  },
  "core/run/session/files/attaching.ts": {
    MAX_WANTED: ["files that come with one task", "further ones are not mentioned", [ATTACHING, "at most 50"]],
  },
  "core/run/session/files/step-files.ts": {
    MAX_STEP_FILES: [
      "files that a step lists without a claim of its agent, and changes that one call's event names",
      "the others are in the workspace, and in the list of the run's files",
      ["core/run/session/finish-files.test.ts", "no step lists more than"],
    ],
  },
  "core/run/session/calls.ts": {
    MAX_ID: ["characters of a call's id in a request", "a longer one is cut, and stays unique", [MANY, "an id that is made unique"]],
    MAX_CALLS: ["tool calls of one reply that are taken", "the others are refused", [MANY, "128 calls are all taken"]],
    MAX_KEPT_CALLS: [
      "tool calls kept of one reply",
      "the others are dropped, and the stream is left",
      [MANY, "of 100,000 calls the first 4,096"],
    ],
    MAX_REPLY_CHARS: [
      "characters of a reply's text, and of its text and calls",
      "the model is told, and the session goes on; a call whose arguments have no room is refused",
      ["engine/run/session/reply-size.test.ts", "as text of 400,000 characters it is whole"],
    ],
    MAX_ARGS: [
      "characters of a call's arguments in a reply",
      "the call is refused, and only their start is kept",
      ["core/run/session/guard.test.ts", "arguments over 256 KiB or deeper than 64"],
    ],
    MAX_RAW: ["characters kept of arguments that are none", "the rest is dropped", [REDUCED, "arguments of a reply"]],
  },
  "core/run/session/compaction.ts": {
    MAX_COMPACTIONS: [
      "times that a turn's conversation is shortened",
      "the refusal is the step's failure",
      ["engine/run/session/compaction.test.ts", "after three attempts to shorten the conversation"],
    ],
  },
  "core/run/session/conversation.ts": {
    GLIMPSE_CHARS: [
      "characters kept of an older result in a shortened conversation",
      "the rest is in the journal only",
      ["core/run/session/glimpse.test.ts", "the glimpse of a clean result is its beginning"],
    ],
  },
  "core/run/session/interaction.ts": {
    MAX_QUESTIONS: [
      "open questions of a run",
      "the call that asks is refused; a fork or a budget waits",
      [MANY, "the limit is one for all branches"],
    ],
  },
  "core/run/steps/child-question-bounds.ts": {
    MAX_CHILD_QUESTIONS: [
      "open questions of the runs below that a run knows",
      "the others are said again until some are answered",
      [BELOW, "a run knows twenty questions"],
    ],
  },
  "core/run/steps/child-questions.ts": {
    MAX_CHARS: [
      "characters of those questions together",
      "the others are said again until some are answered; one that alone is too large is known without what it shows",
      [BELOW, "one that alone is too large"],
    ],
    MAX_ANSWER_CHARS: [
      "characters of an answer in a child run that its parent is told",
      "the parent learns only that it was answered",
      [BELOW, "a long answer"],
    ],
  },
  "core/run/session/repetition.ts": {
    STUCK_AFTER: [
      "equal calls with equal results in a row",
      "the step ends softly: `agent_stuck`",
      ["core/run/session/guard.test.ts", "the same call with the same result five times in a row"],
    ],
  },
  "core/run/session/retry.ts": {
    MODEL_TRIES: ["tries of a model call", "the step fails: `api_error`", ["core/run/failures.test.ts", "MODEL_TRIES"]],
    TRIES_BEFORE_FALLBACK: [
      "tries of a model call where another model can take over",
      "the other model is asked",
      ["core/run/fallbacks.test.ts", "TRIES_BEFORE_FALLBACK"],
    ],
    MOST_RETRY_AFTER_MS: [
      "milliseconds that a provider may ask to wait",
      "the step fails, or another model is asked",
      ["core/run/failures.test.ts", "a Retry-After beyond two minutes is final"],
    ],
    MODEL_WINDOW_MS: [
      "milliseconds from the first failure of a turn to its last try",
      "the step fails: `api_error`",
      ["core/run/failures.test.ts", "a provider that goes silent for ten minutes is asked three times"],
    ],
  },
  "core/run/notice-fold.ts": { KEPT: ["notices in a run's state", "the oldest is forgotten"] },
  "core/run/given-file.ts": {
    MAX_GIVEN_FILES: [
      "files of a start, a mapping or a schedule",
      "422 at `/files`",
      ["http/runs/given-files.test.ts", "are 422 at the place"],
    ],
    MAX_GIVEN_BYTES: ["bytes of all files of a start", "422 at the file, or 413", ["worker/run/given-files.test.ts", "10 MiB with files"]],
    MAX_TEXT: ["characters of a given file's text", "422 at the file", ["worker/run/given-files.test.ts", "10 MiB with files"]],
    MAX_BASE64: [
      "characters of a given file's bytes in base64",
      "422 at the file",
      ["worker/run/given-files.test.ts", "10 MiB with files"],
    ],
    MAX_PATH: [
      "characters of a given file's path, and of a shared file's key",
      "422 at the file",
      ["http/runs/given-files.test.ts", "are 422 at the place"],
    ],
    MAX_TYPE: ["characters of a given file's media type", "422 at the file", ["http/runs/given-files.test.ts", "are 422 at the place"]],
  },
  "core/run/steps/put-file.ts": {
    MAX_PUT_FILES: ["different files put into one run", "409 `too_many_files`", ["core/run/steps/put-file.test.ts", "different files"]],
  },
  "core/run/steps/lanes.ts": {
    MAX_LANES: [
      "branches of multiple choices that run separately at one place",
      "branches beyond it that are at the same step go on as one",
      ["core/run/lanes.test.ts", "at most MAX_LANES"],
    ],
  },
  "core/run/steps/apply-children.ts": {
    MAX_CHILDREN_SHOWN: [
      "children that a run's view names",
      "the list of runs finds the others",
      ["engine/run/new-steps.test.ts", "a parent of 1,000 children stores counts"],
    ],
  },
  "core/run/steps/children.ts": {
    MAX_DEPTH: ["levels of child runs", "the step fails: the child does not start", [CODES, "shows ${code}"]],
    MAX_OUTPUT_CHARS: [
      "characters of a child's outputs in its parent",
      "they stay in the child, and the parent names it",
      ["limits/run-bounds.test.ts", "a child's outputs of more than 262,144"],
    ],
  },
  "core/run/steps/lost-list.ts": {
    INLINE_CHARS: [
      "characters of a map's results in its output",
      "they are in a file only, and what refers to them fails with their size",
      ["limits/run-bounds.test.ts", "a map's results of more than 1,048,576"],
    ],
  },
  "core/schema/arg-value.ts": {
    MAX_ARG_BYTES: [
      "bytes of a call's arguments",
      "the call is refused: `invalid_args`",
      [ARGS, "256 KiB of JSON are allowed, one byte more is not"],
    ],
    MAX_ARG_DEPTH: ["levels of a call's arguments", "the call is refused: `invalid_args`", [ARGS, "64 levels are allowed, 65 are not"]],
  },
  "core/schema/assertions.ts": {
    MAX_UNIQUE: [
      "items of a list that must not repeat",
      "the call is refused: `invalid_args`",
      [ARGS, "a list of a thousand items may be required to be unique"],
    ],
  },
  "core/schema/bounded.ts": {
    MAX_NAME: ["characters of a name in a request", "422 at the member", [API, BEYOND]],
    MAX_URL: ["characters of an address in a request", "422 at the member", [API, BEYOND]],
    MAX_TEXT: ["characters of a file in a request", "422 at the member", [API, BEYOND]],
    MAX_DEFINITION: ["characters of a schema or a rule in a request", "422 at the member", [API, BEYOND]],
    MAX_GIVEN: ["characters of a task, of inputs, of an answer", "422 at the member", [API, BEYOND]],
  },
  "core/schema/coerce-args.ts": {
    MAX_HOPS: [
      "references followed for one value",
      "the value stays as it is",
      [ARGS, "references are followed, and circular references are survived"],
    ],
  },
  "core/schema/judge.ts": {
    MAX_DEPTH: [
      "parts of a schema for one place of a value",
      "the schema cannot be used",
      [ARGS, "references are followed, and circular references are survived"],
    ],
  },
  "core/schema/linear-pattern.ts": {
    MAX_PLACES: ["places of a pattern's graph", "the pattern is refused", [PATTERN, "is refused"]],
    MAX_SETS: ["remembered sets of places", "all are forgotten and computed again", [PATTERN, "takes almost no time"]],
  },
  "core/schema/measure.ts": {
    MAX_STEPS: ["steps of checking one value", "the call is refused: `invalid_args`", [ARGS, "nothing in a schema costs without limit"]],
  },
  "core/schema/told-checks.ts": {
    MAX_DUMP: [
      "characters of a library's message in which a dump of checks is looked for",
      "it is shown as it is, cut",
      ["core/schema/told-checks.test.ts", "a text of any size is read"],
    ],
  },
  "core/schema/pattern-cache.ts": { MAX_COMPILED: ["compiled patterns in memory", "the cache is emptied"] },
  "core/schema/pattern-syntax.ts": {
    MAX_SOURCE: ["characters of a pattern", "the pattern is refused", [PATTERN, "is refused"]],
    MAX_NESTING: ["nested groups of a pattern", "the pattern is refused", [PATTERN, "is refused"]],
    MAX_REPEAT: ["count of a repetition in a pattern", "the pattern is refused", [PATTERN, "is refused"]],
  },
  "core/schema/schema-fault.ts": {
    MOST_FAULTS: [
      "faults told of a schema",
      "further ones are not told",
      ["core/schema/schema-fault.test.ts", "depth and number of faults are bounded"],
    ],
    MOST_DEPTH: [
      "levels of a schema",
      "the schema is refused",
      ["core/schema/schema-fault.test.ts", "depth and number of faults are bounded"],
    ],
  },
  "core/schema/sentence.ts": {
    MAX_TOLD: ["faults told of a call's arguments", "further ones are not told", [ARGS, "a list of errors is cut at 20"]],
    MAX_REASONS: [
      "reasons of one choice that are looked at",
      "further ones are not told",
      [ARGS, "nothing in a schema costs without limit"],
    ],
    MAX_REASONS_TOLD: ["reasons told of one choice", "further ones are not told", [ARGS, "nothing in a schema costs without limit"]],
  },
  "core/secrets/entities.ts": {
    LONGEST: [
      "characters of an HTML entity",
      "a longer one is text",
      [SECRETS, "an entity, a wrapped line and an indent have a longest form"],
    ],
  },
  "core/outside/set-out.ts": {
    MOST_CHARS: [
      "characters of JSON from outside that is set out on lines",
      "it is shown as it came",
      ["core/secrets/beginning.test.ts", "never longer than half a million characters"],
    ],
    MOST_RESULT: [
      "characters of it once it is set out",
      "it is shown as it came",
      ["core/secrets/beginning.test.ts", "never longer than half a million characters"],
    ],
    MOST_LEVELS: [
      "levels of JSON from outside that is set out",
      "it is shown as it came",
      ["core/secrets/beginning.test.ts", "small, shallow JSON is set out"],
    ],
  },
  "core/policy/policy-names.ts": {
    MOST_FAULTS: [
      "faults told of one policy",
      "further ones are not told",
      ["core/policy/policy-names.test.ts", "100 faults, 200 patterns"],
    ],
    MOST_PATTERNS: [
      "patterns of a policy that are compared with every tool",
      "a further one counts as one that matches",
      ["core/policy/policy-names.test.ts", "100 faults, 200 patterns"],
    ],
  },
  "core/secrets/log-text.ts": {
    LONGEST: [
      "characters of a text in the log",
      "the rest is cut, with its length",
      ["core/secrets/log-text.test.ts", "a line is bounded"],
    ],
    DEEPEST: ["levels of a value in the log", "deeper ones are left out", ["core/secrets/log-text.test.ts", "a line is bounded"]],
  },
  "core/secrets/unwrap.ts": {
    MOST_BREAKS: [
      "line breaks in one place of a secret",
      "it is not found",
      [SECRETS, "an entity, a wrapped line and an indent have a longest form"],
    ],
    MOST_INDENT: [
      "spaces at the start of a wrapped line of a secret",
      "it is not found",
      [SECRETS, "an entity, a wrapped line and an indent have a longest form"],
    ],
  },
  "core/secrets/secret-forms.ts": {
    SHORTEST_SECRET: ["characters of a secret, at least", "422 at the value", ["http/settings/secrets.test.ts", "a short value"]],
  },
  "core/steps/map.ts": {
    MAX_ITEMS: ["items of a map", "the step fails", ["core/flow/check/proof.test.ts", "a map counts at most every item"]],
  },
  "core/steps/wait.ts": {
    MAX_SIGNALS: [
      "signals kept before a step waits for them",
      "409 `too_many_signals`",
      ["engine/run/landing.test.ts", "stored signals have a limit"],
    ],
    MAX_SIGNAL_CHARS: [
      "characters of all kept signals",
      "409 `too_many_signals`",
      ["engine/run/landing.test.ts", "stored signals have a limit in characters too"],
    ],
  },
  "core/text/address-forms.ts": {
    MAX_ADDRESSES: [
      "addresses in one text of a call that a rule of the denylist judges",
      "the call is refused",
      ["core/policy/denylist-addresses.test.ts", "one more address than are compared"],
    ],
  },
  "core/text/chunks.ts": {
    CHUNK_CHARS: [
      "characters of a piece of a text in the memory",
      "the text continues in the next piece",
      ["core/text/chunks.test.ts", "none is too long"],
    ],
  },
  "core/text/glob.ts": {
    MAX_ALTERNATIVES: [
      "alternatives of a glob's braces",
      "the braces are literal text",
      ["core/policy/access.test.ts", "braces with too many alternatives are literal"],
    ],
  },
  "core/text/line-diff.ts": {
    MAX_EDITS: [
      "edits of a comparison",
      "the texts are shown as wholly different",
      ["core/text/line-diff.test.ts", "cost no more than the budget"],
    ],
  },
  "core/text/match-expression.ts": { MAX_TERMS: ["words of a search", "further words are left out", [REDUCED, "words of a search"]] },
  "core/text/member-path.ts": {
    MAX_NAME: [
      "characters of a name in brackets, in a template or a condition",
      "the template stays text, and the condition is refused",
      ["core/text/member-path.test.ts", "a name in brackets has at most 200"],
    ],
  },
  "core/text/name-index.ts": {
    MOST_COMPARED: [
      "names that are compared one by one for a suggestion",
      "more are looked up by their beginnings",
      ["core/text/nearest.test.ts", "among many names, one that a single edit tells apart"],
    ],
    PER_KEY: [
      "names with one beginning that a suggestion may come from",
      "further ones are not suggested",
      ["core/text/nearest.test.ts", "suggestions for 2,000 wrong names"],
    ],
    CANDIDATES: [
      "names that a suggestion is chosen from",
      "further ones are not suggested",
      ["core/text/nearest.test.ts", "suggestions for 2,000 wrong names"],
    ],
  },
  "core/text/path.ts": {
    MAX_PATH_BYTES: ["bytes of a path", "the path is refused", ["core/text/path.test.ts", "exactly 512 bytes are allowed"]],
    MAX_PATH_CHARS: [
      "characters of a path before it is normalized",
      "the path is refused",
      ["limits/tool-bounds.test.ts", "beyond its bound is refused"],
    ],
  },
  "core/text/select-only.ts": {
    MAX_CHARS: ["characters of a query", "the query is refused", ["core/text/select-only.test.ts", "refused: %s"]],
  },
  "core/tool/http-tool.ts": {
    MAX_DEFINITION: ["characters of a registered tool", "422", [OPENAPI, "only the operation that is too large for a tool"]],
    MAX_TIMEOUT: ["milliseconds of a registered tool's timeout", "422 at `/timeout`", [REDUCED, "a registered tool"]],
    MOST_FAULTS: ["faults told of a registered tool", "further ones are not told", [REDUCED, "a registered tool"]],
  },
  "core/tool/lint-tool.ts": {
    MAX_WARNINGS: ["warnings told of a tool", "further ones are not told", ["limits/core-bounds.test.ts", "50 weaknesses of a tool"]],
    MAX_DEPTH: [
      "levels of a schema that are looked at for warnings",
      "deeper levels are not looked at",
      ["limits/core-bounds.test.ts", "50 weaknesses of a tool"],
    ],
  },
  "core/tool/elicitation.ts": {
    MAX_MESSAGE: ["characters of an MCP server's question", "the tool fails", [ASKED, "is refused with the reason"]],
    MAX_FIELDS: ["fields of its form", "the tool fails", [ASKED, "is refused with the reason"]],
    MAX_FORM: ["characters of its form", "the tool fails", [ASKED, "is refused with the reason"]],
    MAX_URL: ["characters of the page that it asks to open", "the tool fails", [ASKED, "is refused with the reason"]],
  },
  "core/tool/mcp-tool.ts": {
    MOST_TOOLS: ["tools of a server", "the list is refused; `allow` chooses", [MCP, "without it a list of more than 128 is refused"]],
    MOST_LISTED: ["tools that a server lists", "the list is refused", [MCP, "allow chooses by name"]],
    MAX_SCHEMA: [
      "characters of a tool's schema",
      "the tool is left out, with the reason",
      [MCP, "tools that cannot be offered are left out"],
    ],
    MAX_DEPTH: ["levels of a tool's schema", "the tool is left out, with the reason", [MCP, "tools that cannot be offered are left out"]],
    MAX_DESCRIPTION: [
      "characters of a tool's description",
      "the tool is left out, with the reason",
      [MCP, "tools that cannot be offered are left out"],
    ],
    MAX_LIST: ["characters of a server's whole list", "the list is refused", [MCP, "a list too large to keep is refused"]],
  },
  "core/tool/openapi-parameter.ts": {
    MAX_NAME: [
      "characters of a name in an OpenAPI document",
      "the rest is cut",
      [OPENAPI, "very long names are cut before they are processed"],
    ],
  },
  "core/tool/openapi-schema.ts": {
    MAX_NESTING: [
      "levels of an imported schema",
      "deeper values may be anything",
      [OPENAPI, "a schema that is larger than any tool comes in as its outline"],
    ],
    MAX_RINGS: [
      "times that a reference is expanded inside itself",
      "deeper values may be anything",
      ["limits/run-bounds.test.ts", "a reference is expanded twice"],
    ],
    MAX_PARTS: [
      "parts of an `allOf` that are searched",
      "further parts are not searched",
      ["limits/run-bounds.test.ts", "a reference is expanded twice"],
    ],
  },
  "core/tool/openapi-text.ts": {
    MAX_PARTS: [
      "parts of a document's YAML that cannot be cut at its lines",
      "the document is refused",
      ["core/tool/openapi-text.test.ts", "reading stops after 100,000"],
    ],
    MAX_PARTS_IN_ALL: ["parts of a document's YAML", "the document is refused", ["core/tool/openapi-text.test.ts", "MAX_PARTS_IN_ALL"]],
    MAX_DEPTH: ["levels of a document's text", "the document is refused", ["core/tool/openapi-text.test.ts", "deep nesting of"]],
  },
  "core/tool/openapi.ts": {
    MAX_OPERATIONS: ["operations of one import", "422: choose some with `only`", [REDUCED, "operations of an import"]],
    MAX_IN_ONE: [
      "parts of one operation's schemas",
      "the schemas are shown less deep; if that is not enough, the operation is skipped, with the reason",
      [OPENAPI, "a schema that is larger than any tool comes in as its outline"],
    ],
    MAX_IN_ALL: [
      "parts of all schemas",
      "the schemas are shown less deep; if that is not enough, the operation is skipped, with the reason",
      [OPENAPI, "many large operations take bounded time"],
    ],
    CHARS_SHOWN: [
      "characters of a tool's parameters for which nothing is left out",
      "the schemas are shown less deep",
      [OPENAPI, "a schema that is larger than any tool comes in as its outline"],
    ],
    CHARS_IN_ALL: [
      "characters of the parameters of all tools",
      "the schemas are shown less deep",
      [OPENAPI, "many large operations take bounded time"],
    ],
    MAX_TOOL_NAME: [
      "characters of a tool's name",
      "of a longer one both ends stay",
      [OPENAPI, "names that are too long or stand twice stay apart"],
    ],
  },
  "core/webhook/depth.ts": {
    MOST_DEPTH: [
      "callbacks in the chain that led to a delivery",
      "the delivery starts no run",
      ["worker/tenant/triggers/hook-depth.test.ts", "MOST_DEPTH"],
    ],
  },
  "core/webhook/mapping.ts": {
    MAX_GIVEN: [
      "characters of task and inputs of a delivery",
      "the delivery starts no run",
      ["core/webhook/mapping.test.ts", "the size of task and inputs is limited"],
    ],
    MAX_TEMPLATE: ["characters of a hook's template", "422 at the template", [REDUCED, "a hook's mapping"]],
    MAX_INPUTS: ["inputs of a hook's mapping", "422 at `/mapping/inputs`", [REDUCED, "a hook's mapping"]],
  },
}
