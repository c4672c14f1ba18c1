// Lists every diagnostic code with its severity, meaning and remedy [F54]. The manual is generated from this table, and the compiler checks
// every code in the source against it.
//
// `npm run diagnostics` prints it, and writes docs/DIAGNOSTICS.md and the skill's diagnostics.md. Tests require a fixture for each code of a file
// (test/fixtures/codes).
//
// This file is over 300 lines because it is a table with a row per code.

export interface Code<C extends string = string> {
  readonly code: C
  /** `either`: `what` says when it is an error and when a warning. */
  readonly severity: "error" | "warning" | "either"
  readonly what: string
  /** What to do or to write instead. */
  readonly write: string
}

/** The code prefix of each kind of file: flows, agents, skills, rehearsals, tests, scorers, configuration. */
export type FileFamily = "FV" | "AV" | "SV" | "RV" | "TV" | "EV" | "PV"

const error = <C extends string>(code: C, what: string, write: string): Code<C> => ({ code, severity: "error", what, write })
const warning = <C extends string>(code: C, what: string, write: string): Code<C> => ({ code, severity: "warning", what, write })
const either = <C extends string>(code: C, what: string, write: string): Code<C> => ({ code, severity: "either", what, write })

/** Faults that any YAML file can have [F1]. */
const anyFile = <F extends FileFamily>(family: F) => [
  error(`${family}-PARSE`, "the text is not valid YAML, or has the wrong structure", "fix the place named in the message"),
  warning(`${family}-TEXT`, "a value begins with `@` or a backtick, or contains `: `; it is read as text", "put the value in quotes"),
  error(
    `${family}-LIMIT`,
    family === "TV" || family === "PV"
      ? `the file is larger than 512 KiB, nests deeper than 40 levels, or has more than 20,000 keys${family === "TV" ? ", or more than 100 cases" : ""}`
      : `the file is larger than ${family === "EV" ? 64 : 256} KiB, nests deeper than 20 levels, or has more than 2,000 keys${family === "EV" ? ", or the tenant has more than 500 scorers" : ""}`,
    "split the file",
  ),
  error(
    `${family}-KEY`,
    "`__proto__`, `constructor`, `prototype`, merge keys and keys that are not text are refused",
    "choose another name",
  ),
  error(`${family}-DUP-KEY`, "the file repeats a key", "keep one of them"),
  error(`${family}-ALIAS`, "anchors and aliases are not supported", "write the value out, or quote it if it is text"),
  error(`${family}-TAG`, "tags are not supported", "remove the tag, or quote the value if it is text"),
  error(`${family}-DIRECTIVE`, "directives are not supported; files are read as YAML 1.2", "remove the line"),
  error(`${family}-DOCUMENTS`, "a second document begins; a file contains only one", "remove the line `---`"),
  either(`${family}-MORE`, "the file has more than 100 problems; the rest are counted, not shown", "fix these, then check again"),
]

const unknownKey = <F extends FileFamily>(family: F) => [
  warning(`${family}-UNKNOWN-KEY`, "the key is unknown and is ignored", "remove it"),
  either(
    `${family}-MISSPELLED-KEY`,
    "the key is nearly a known one: an error when the file is written, a warning when it is already stored or imported",
    "the suggested key",
  ),
]

export const CODES = [
  { title: "Flows: the file", codes: [...anyFile("FV"), ...unknownKey("FV")] },
  {
    title: "Flows: shape",
    codes: [
      either(
        "FV-FOREIGN-KEY",
        "the key belongs to another system: an error if ignoring it would change what runs, otherwise a warning",
        "the suggested line, the Sluice equivalent",
      ),
      error("FV-NAME", "the flow has no name", "`name: review`"),
      either(
        "FV-NAME-FILE",
        "the flow's name is the file's with one letter wrong: an error when the file is written, a warning when it is already stored or imported",
        "the suggested line",
      ),
      error("FV-DESC", "the flow has no description", "`description: what it does, in a sentence`"),
      error("FV-STEPS", "the flow has no list of steps, or an empty one", "`steps:` with at least one step"),
      error("FV-ID", "a step id contains an invalid character, or is reserved", "letters, digits, `_` and `-`"),
      error("FV-ID-EMPTY", "a step's id is empty", "`id: step1`"),
      error("FV-ID-DUP", "two steps have the same id", "rename the second one"),
      warning("FV-ID-DOT", "an id with a dot works, but is easy to misread", "use `-` instead of the dot"),
      error(
        "FV-INPUT",
        "a flow input has an unknown type, an invalid name, or a default of the wrong type",
        "`topic: { type: string, required: true }`",
      ),
      warning(
        "FV-NUMBER",
        "a number in `config` is not written as a template writes it: 1.10 becomes 1.1, 01234 becomes 1234, and 1e3 becomes 1000",
        'the value in quotes, such as `version: "1.10"`',
      ),
      warning("FV-TYPE-INFER", "the step has no type, so the type is inferred from its keys", "the suggested line, such as `type: agent`"),
      error("FV-TYPE-CONFLICT", "the step has keys of two step types", "write the type, and remove the other type's keys"),
      error("FV-TYPE-MISSING", "the step's keys belong to a type that is never inferred", "the suggested line, such as `type: map`"),
      error("FV-TYPE-REMOVED", "the type comes from an earlier version or another system", "the suggested lines, the Sluice equivalent"),
      error("FV-APPROVAL", "an approval rule is invalid", "`never`, `always`, or a valid condition"),
      error(
        "FV-BUDGET",
        "a budget limit is invalid, or its unit is unknown",
        "`budget: { usd: 2.50 }`; the units are usd, tokens, tool_calls, steps",
      ),
      error(
        "FV-START",
        "a member of `start` is unknown, missing or out of its bounds, a key reads what no start has yet, or `batch.into` is no input of type array",
        'what the message says; `start: { concurrency: { key: "${{flow.input.repo}}", limit: 1 } }`',
      ),
      warning(
        "FV-BUDGET-LEAST",
        "the budget does not cover the shortest path through the flow, or a single model call: every run stops and asks",
        "a higher limit, or none",
      ),
      warning(
        "FV-BUDGET-STEPS",
        "the budget allows fewer steps than the flow can open in the worst case, with all loops and retries",
        "the suggested number, or a lower `max_iterations` or `retry`",
      ),
    ],
  },
  {
    title: "Flows: agents and their inputs",
    codes: [
      either(
        "FV-AGENT",
        "a step's agent does not exist (error), or has errors of its own (warning)",
        "correct the name, or write the agent first",
      ),
      either(
        "FV-AGENT-DEC",
        "a decision's agent does not exist (error), or has errors of its own (warning)",
        "correct the name, or write the agent first",
      ),
      either(
        "FV-ROUTES-AGENT",
        "a step's agent routes to an agent that does not exist (error), or has errors of its own (warning)",
        "correct the name, or write the agent first",
      ),
      error("FV-COORDINATOR", "the flow uses more than one coordinator, directly or by routes", "make the others specialists"),
      either(
        "FV-FORK-AGENT",
        "a fork's agent does not exist (error), or has errors of its own (warning)",
        "correct the name, or leave it out to let the built-in agent decide",
      ),
      warning(
        "FV-IN-UNWIRED",
        "the agent declares an input that the step does not set, so the input is empty",
        '`inputs: { doc: "${{result.a.summary}}" }`',
      ),
      warning("FV-IN-EXTRA", "the step sets an input that the agent does not declare", "correct the name, or declare it in the agent"),
      warning(
        "FV-IN-UNUSED",
        "the step sets an input that neither the agent's body nor the task uses",
        "`${{input.NAME}}` where it belongs",
      ),
      error("FV-IN-FILE", "an input is a `file://` address; inputs are not read from files", "the path, for an agent that reads the file"),
      warning("FV-PATH-READ", "an input looks like a path, but the agent has no tool to read files", "`tools: read` in the agent"),
    ],
  },
  {
    title: "Flows: order",
    codes: [
      error("FV-BLOCK-UNKNOWN", "`blockedBy` names a step that does not exist", "one of the listed ids"),
      either(
        "FV-BLOCK-ORDER",
        "`blockedBy` names a later step (error), or an earlier step that is not an agent step, so the step waits for it anyway (warning)",
        "move the step, or remove it from `blockedBy`",
      ),
      error("FV-CYCLE", "steps wait for each other in a cycle, which the message lists", "remove one `blockedBy`"),
    ],
  },
  {
    title: "Flows: routes",
    codes: [
      error("FV-BRANCH", "a branch leads to a step that does not exist", "one of the listed ids"),
      error("FV-LOOP-TARGET", "`loop_target` names a step that does not exist", "one of the listed ids"),
      error("FV-EXIT-TARGET", "`exit_target` names a step that does not exist", "one of the listed ids"),
      error(
        "FV-ROUTE",
        "`on_error`, `on_complete`, `on_timeout`, `present` or `absent` names a step that does not exist",
        "one of the listed ids",
      ),
      warning("FV-LOOP-FWD", "`loop_target` comes after the decision, so nothing repeats", "an earlier step"),
      warning(
        "FV-LOOP-CHANGE",
        "the loop repeats a step whose agent has a tool that changes something outside the run: each pass may do it again",
        "the step behind the loop, or an approval of the tool",
      ),
      error("FV-EXIT-BACK", "`exit_target` leads back, so the loop never ends", "a later step"),
      error("FV-ONCOMPLETE", "`on_complete` leads back", "a decision with `max_iterations`"),
      error(
        "FV-ROUTE-BACK",
        "`on_error`, `on_timeout`, `present` or `absent` leads back",
        "a decision with `max_iterations`; to run a step again, `retry: { max: 2 }`",
      ),
      error("FV-DEC-MIN", "a decision has fewer than two branches", "add a branch, or make it a plain step"),
      either("FV-DEC-LOOP", "a branch leads back without a limit (a warning for a fork that a person answers)", "`max_iterations: 3`"),
      either(
        "FV-EXHAUSTED",
        "`on_exhausted` does not name a forward branch (error), or is missing where several branches lead forward (warning)",
        "`on_exhausted: LABEL`",
      ),
      error("FV-FORK-KEY", "a fork's branch does not match any of its options", "the exact text of the option"),
      error("FV-FORK-OPTION", "a fork's option has no branch, or is repeated", "`branches: { LABEL: step-id }`"),
      error("FV-FORK-CUSTOM", "`allowCustom` needs an agent to route the answer, and none is named", "`agent: NAME`"),
      error(
        "FV-FORK-MULTI",
        "a branch leads back in a fork with `multiSelect`",
        "`multiSelect: false`, or make the branch lead to a later step",
      ),
      warning(
        "FV-BRANCH-FALL",
        "in file order, one branch is followed by another branch or by a step that only another branch names; that step is skipped",
        "the suggested `on_complete:` line",
      ),
      warning("FV-UNREACHABLE", "nothing leads to this step", "make a branch lead to it, or remove it"),
    ],
  },
  {
    title: "Flows: templates",
    codes: [
      error(
        "FV-TPL-PREFIX",
        "the template begins with an unknown word; a step's result needs the prefix `result.`",
        "`${{result.STEP.FIELD}}`",
      ),
      error("FV-TPL-FORM", "the template is not a valid form", "the suggested form, or `$${{` for a literal `${{`"),
      warning(
        "FV-TPL-DOLLAR",
        "an extra dollar sign stands before a template that has a value: the template is kept as text",
        "`$$${{…}}` for a dollar sign and the value",
      ),
      error(
        "FV-TPL-DEEP",
        "the template reaches into a value; templates insert whole values",
        "a separate output for the part that you need",
      ),
      error(
        "FV-TPL-DOUBLE",
        "text in double braces without a dollar sign is not a template and would be left as is",
        "`${{…}}`; for braces that are text, a value of `config`",
      ),
      warning("FV-TPL-BRACE", "text in single braces is not a template and is left as is", "`${{…}}`"),
      warning(
        "FV-TPL-UNUSED",
        "what stands before `??` always has a value, so what follows is never used",
        "the template without the rest",
      ),
      error("FV-TPL-ANGLE", "text in angle brackets is not a template and is left as is", "`${{result.STEP.FIELD}}`"),
      error("FV-REF-STEP", "the template names a step that does not exist", "one of the listed ids"),
      error("FV-REF-FIELD", "the step has no such output or field", "one of the listed fields, or declare the output"),
      either(
        "FV-REF-ORDER",
        "the step comes later or runs in parallel (error), or some way leads there without it (warning)",
        "`blockedBy: STEP`, or a different order",
      ),
      either(
        "FV-REF-INPUT",
        "the flow has no such input (error), or the step has none (warning: the value is empty)",
        "declare it, or set it in the step",
      ),
      warning("FV-REF-CONFIG", "the flow's config has no such key", "`config: { KEY: … }`"),
      warning("FV-REF-LOOP", "the step does not count iterations, so the value is 0", "a step that counts iterations"),
      error("FV-REF-FORK", "the step is not a fork", "`${{result.STEP.summary}}`"),
      error("FV-REF-UNTIL", "the step has no `until`", "`${{result.STEP.summary}}`"),
      error("FV-REF-ITEM", "`item` and `index` exist only in the task and the inputs of a map", "the reference of the whole list"),
    ],
  },
  {
    title: "Flows: code",
    codes: [
      error(
        "FV-CODE-ID",
        "the id of a code step is also its handler's file name, and this id is not valid for a file",
        "letters, digits, `_` and `-`",
      ),
      error("FV-CODE-IN", "a handler's input is not a valid variable name", "`the_text` instead of `the-text`"),
      error("FV-CODE-OUT", "a handler's output is not a valid variable name, or is a field that every result has", "another name"),
      error("FV-CODE-OUTDUP", "an output is repeated", "keep one of them"),
      error("FV-CODE-BRANCH", "a code-decision returns `branch` in addition to its outputs", "remove it from `outputs`"),
      error("FV-CODE-ONERROR", "a code-decision that fails ends the run, so `on_error` is never taken", "a branch for the failure"),
      error(
        "FV-TOOL",
        "a step calls a tool that does not exist here, that belongs to an agent's session, or that is not for runs",
        "the suggested name, or an agent with the tool",
      ),
      either(
        "FV-TOOL-ARGS",
        "the arguments of a tool step do not fit the tool's schema: a warning in a flow that is already stored, where the call can still read them",
        "the arguments that the message names",
      ),
      error(
        "FV-CACHE",
        "`cache` is shorter than 1m or longer than 30d, at a step of a type that keeps no results, beside `session` or an `until` with `from`, or at an agent that lists a tool which always writes",
        "`cache: 1h` at a step of type agent, agent-decision, code or code-decision that only reads",
      ),
      error(
        "FV-UNTIL",
        "`until` has a wrong value, a `from` that is no earlier step, an `at_least` of 0 or that no level reaches, a judge whose own work it is, or another type of step",
        "`until: { scorer: helpful, at_least: 1, rounds: 3 }` at a step of type agent or flow-ref",
      ),
      error("FV-SCORER", "`until` names a scorer that does not exist, or has errors", "write `scorers/NAME.yaml`"),
      warning("FV-UNTIL-SELF", "the judge of `until` has the model that it judges", "another `model` in the scorer"),
      warning(
        "FV-UNTIL-WRITES",
        "an agent whose work is judged can change something outside, and each round may do it again",
        "let a later step do it",
      ),
      warning("FV-CODE-HANDLER", "no handler is stored for the step yet", "`code/FLOW/STEP.ts` (PUT /v1/code/FLOW/STEP)"),
    ],
  },
  {
    title: "Flows: children, maps, waits",
    codes: [
      either(
        "FV-FLOW",
        "the child flow does not exist (error), or has errors of its own (warning)",
        "correct the name, or write the flow first",
      ),
      error(
        "FV-FLOW-PATH",
        "the value is not a flow: it is a pattern, a template, or a path that is not a flow file",
        "`flow: NAME`, or `path: flows/NAME.yaml`",
      ),
      error(
        "FV-FLOW-INPUT",
        "the child flow needs an input that is not set, or has no such input, or the input has another type",
        "the suggested line",
      ),
      either(
        "FV-FLOW-RECURSION",
        "the flow always runs itself again (error), or stops only when a list is empty (warning)",
        "a decision with a branch that skips the step",
      ),
      error("FV-FLOW-DEPTH", "child runs nest deeper than 5 levels below the first run", "start one of the flows separately"),
      error("FV-MAP-OVER", "`over` is not a single reference to a list", '`over: "${{result.STEP.OUTPUT}}"` with an output of type array'),
      error("FV-MAP-CONCURRENT", "`max_concurrent` is above 100", "`max_concurrent: 100`"),
      error("FV-MAP-TOLERATE", "`tolerate` is neither a count nor a percentage", "`tolerate: 3`, or `tolerate: 10%`"),
      warning(
        "FV-MAP-BATCH",
        "an agent below a map with `batch_api` lists tools, or a step there has `until`: each of its turns or rounds waits for a batch of up to a day",
        "`tools: []` in the agent, no `until`, or leave `batch_api` out",
      ),
      error("FV-WAIT", "a wait needs exactly one of `until`, `for`, `signal`", "keep one of them"),
      error("FV-WAIT-SIGNAL", "the signal's name is not valid in a URL", "letters, digits, `_` and `-`"),
      either(
        "FV-WAIT-TIME",
        "the duration or the time is invalid (error), or the time has no zone and is taken as UTC (warning)",
        "`for: 30s`, or `until: 2027-01-31T09:00:00Z`",
      ),
      error("FV-WAIT-TIMEOUT", "`on_timeout` needs both a signal and a timeout", "`timeout: 1h`"),
    ],
  },
  {
    title: "Agents: the file",
    codes: [
      error("AV-FM-MISSING", "the file does not begin with frontmatter", "`---`, the fields, `---`, then the body"),
      error("AV-FM-OPEN", "the frontmatter is not closed", "a second line `---`"),
      ...anyFile("AV"),
      ...unknownKey("AV"),
      error("AV-FIELD", "a field has the wrong type of value", "what the message suggests"),
      warning("AV-UNUSED", "the field is accepted, but has no effect yet", "remove it"),
    ],
  },
  {
    title: "Agents: fields",
    codes: [
      error("AV-NAME", "the agent's name is missing or invalid", "`name: reviewer`"),
      error("AV-NAME-FILE", "the name differs from the file's name", "the suggested line"),
      error("AV-DESC", "the agent has no description", "`description: what it does, and when to use it`"),
      either("AV-MODEL", "the model is missing (warning: the tenant's default is used) or invalid (error)", '`model: "@fast"`'),
      warning("AV-MODEL-ROLE", "the model role is not a standard role", "a listed role, or map it in the settings"),
      error("AV-THINKING", "the thinking level is unknown", "off, minimal, low, medium, high, xhigh, max"),
      warning("AV-TOOLS", "the agent lists no tools, so it can only finish", "`tools: read, write`, or `tools: []` if it needs none"),
      error("AV-TOOLS-BOTH", "the agent has two lists of tools, or a list and an exclusion", "keep one of them"),
      either(
        "AV-TOOL",
        "the tool does not exist (error; a warning for a pattern without a match, and for a tool that this instance or an MCP server lacks at the moment)",
        "one of the listed tools",
      ),
      either(
        "AV-RULE",
        "a denied tool or an approval names a tool or an argument that does not exist: an error when the file is written, a warning when it is already stored",
        "the suggested name, or remove it",
      ),
      error("AV-TOOL-FINISH", "every agent has `finish`; agents do not list it", "remove it"),
      warning("AV-TOOL-ROLE", "the tool is never available to this agent", "remove it, or `role: architect`"),
      error("AV-SKILL", "the skill does not exist", "correct the name, or write the skill first"),
      either("AV-INPUT", "an input's name is invalid (error) or repeated (warning)", "letters, digits, `_` and `-`"),
      warning("AV-OUTPUT", "an output's name is invalid or repeated, so the output is ignored", "letters, digits, `_` and `-`"),
      error("AV-OUTPUT-RESERVED", "the output has the name of a built-in field", "another name"),
      error("AV-OUTPUT-TYPE", "the output's type is unknown", "string, number, boolean, object, array"),
      warning("AV-PATTERN", "the pattern is invalid, or the output's type is not string", "a simpler pattern, or none"),
      warning("AV-ACCESS", "the value does not look like a workspace path", "`src/**`, `docs/*.md`"),
      error(
        "AV-APPROVAL",
        "an approval rule is invalid, or names an unknown group",
        '`never`, `always`, or `{ kind: dynamic, value: "args.amount > 100" }`',
      ),
      warning(
        "AV-TRIFECTA",
        "the agent can read private data, reads text from outside, and can send data out; the message names the three tools",
        "move one of the three tools to another agent, require an approval, or write `effects: { after_untrusted: ask }`",
      ),
      warning(
        "AV-WAITS",
        "a tool reads private data and text from outside of one host: from its second call on, a person is asked",
        "the host in `network.allow` of the policy, or `effects: { after_untrusted: ask }`",
      ),
      warning("AV-CARD-TYPE", "the card type is unknown", "status, metric, progress, log"),
    ],
  },
  {
    title: "Agents: roles and toolkits",
    codes: [
      warning(
        "AV-ROLE",
        "the role is unknown, so the agent is treated as a specialist",
        "coordinator, planner, executor, specialist, architect",
      ),
      error("AV-ROUTES-NONE", "a coordinator, or an agent with the toolkit `agents`, has no routes", "`routes: [NAME]`"),
      error("AV-ROUTES-ROLE", "the agent has routes, but cannot call other agents", "`role: coordinator`, or remove the routes"),
      error("AV-ROUTES-SELF", "the agent routes to itself", "remove the route"),
      error("AV-ROUTES-DUP", "a route is repeated", "keep one of them"),
      error("AV-PLAN", "a planner or an executor has no plan", "`plan: NAME`, with the name from `PUT /v1/plans/NAME`"),
      error("AV-TOOLKIT", "the toolkit does not exist", "references, plans, agents, catalog"),
    ],
  },
  {
    title: "Agents: the body",
    codes: [
      warning("AV-IN-UNDECLARED", "the body uses an input that is not declared", "`inputs: [NAME]`"),
      warning(
        "AV-BRACE",
        "text in single braces, or in double braces without a dollar sign, is not a template and is left as is",
        "`${{…}}`",
      ),
      warning("AV-TPL-PREFIX", "a template begins with an unknown word and is left as is", "one of the listed words"),
      warning(
        "AV-TPL-DOLLAR",
        "an extra dollar sign stands before a template that names an input: the template is kept as text",
        "`$$${{…}}` for a dollar sign and the value",
      ),
      warning("AV-TPL-FORM", "the template is not a valid form and is left as is", "`$${{` if that is what you want"),
      warning("AV-REF-ITEM", "`item` and `index` exist only in a map; in an agent they are empty", "an input of the agent"),
    ],
  },
  {
    title: "Skills",
    codes: [
      error("SV-FM-MISSING", "SKILL.md does not begin with frontmatter", "`---`, the fields, `---`, then the text"),
      error("SV-FM-OPEN", "the frontmatter is not closed", "a second line `---`"),
      ...anyFile("SV"),
      ...unknownKey("SV"),
      error("SV-NAME", "the skill's name is missing or invalid", "`name: style`"),
      error("SV-NAME-FOLDER", "the name differs from the folder's name", "the suggested line"),
      error("SV-DESC", "the skill has no description", "`description: what it contains, and when to read it`"),
      error("SV-FIELD", "a field has the wrong type of value", "what the message suggests"),
      error("SV-FILE", "a listed path is outside the skill", "a path inside the folder"),
      warning(
        "SV-RUNTIME",
        "a script or command of the skill needs a program that the Worker's shell lacks",
        "a sandbox, or the agent's tools",
      ),
      warning("SV-STANDARD", "the skill exceeds a limit of the Agent Skills standard", "a shorter name, description or body"),
    ],
  },
  {
    title: "Rehearsals",
    codes: [
      ...anyFile("RV"),
      error("RV-TURN", "a turn is invalid", "`- finish: { status: complete, summary: done }`"),
      warning("RV-FINISH", "a finish lacks what the step's agent must give, or has a wrong status, so it is refused", "what is missing"),
      warning("RV-STEP", "the flow has no such step", "one of the listed ids"),
      warning("RV-TOOL", "the turn calls a tool that does not exist, so the call is refused", "one of the listed tools"),
    ],
  },
  {
    title: "Tests",
    codes: [
      ...anyFile("TV"),
      error("TV-CASE", "a case is invalid", "`- { name: works, task: go, expect: { status: succeeded } }`"),
      error("TV-NAME", "the name of a case is missing, too long, or used twice", "a unique name"),
      error("TV-TURN", "a turn of a case's rehearsal is invalid", "`- finish: { status: complete, summary: done }`"),
      error("TV-ANSWER", "an answer of a case is invalid", "`answers: [ { answer: yes }, { decision: approve } ]`"),
      error("TV-EXPECT", "an expectation is invalid", "what the message suggests"),
      warning("TV-FINISH", "a finish lacks what the step's agent must give, or has a wrong status, so it is refused", "what is missing"),
      warning("TV-STEP", "the flow has no such step", "one of the listed ids"),
      warning(
        "TV-OUTPUT",
        "a case expects an output or a branch that the flow or the step cannot have, so it always fails",
        "one of the listed names, or declare the output",
      ),
      warning("TV-TOOL", "a case names a tool that does not exist", "one of the listed tools"),
      error("TV-SCORER", "`scores` names a scorer that does not exist, has errors, or asks a model", "a scorer without a judge"),
    ],
  },
  {
    title: "Scorers",
    codes: [
      ...anyFile("EV"),
      error("EV-KIND", "the file is no scorer, or has not exactly one of `expect`, `code` and `judge`", "one of the three"),
      error("EV-FIELD", "the key is unknown: an ignored check would always pass", "the suggested key, or remove it"),
      error(
        "EV-VALUE",
        "a value is missing, wrong or too long, or the scorer's name is `feedback` or not the file's",
        "what the message says",
      ),
      error(
        "EV-LEVELS",
        "the levels are not 2 to 10 numbers from 0 to 1, each with a text of its own of at most 500 characters",
        "`levels: { 0: wrong, 0.5: incomplete, 1: right }`",
      ),
      error("EV-JUDGE", "the judge's agent does not exist, or has tools or skills", "an agent without tools and skills"),
      error("EV-ROW", "a row of a dataset's file is wrong, too large, or refused by the flow's inputs", "what the message says"),
      warning("EV-HANDLER", "the handler of a scorer with `code` is missing: its scores are errors", "write scorers/NAME.ts"),
    ],
  },
  {
    title: "Configuration: hooks, schedules, callbacks, tools and settings",
    codes: [
      ...anyFile("PV"),
      error("PV-FIELD", "the key is unknown", "the suggested key, or remove it"),
      error("PV-VALUE", "a value is missing or invalid", "what the message says"),
      error(
        "PV-TOOL",
        "the file defines a tool whose name is taken by a built-in tool or another file",
        "another name, or a `prefix` for an OpenAPI document",
      ),
      either(
        "PV-NAME",
        "a rule of the policy or the gate names a tool, agent or flow that does not exist (error), or a pattern matches nothing (warning)",
        "the suggested name, or remove it",
      ),
      warning(
        "PV-OPERATION",
        "an operation of the document cannot become a tool, or a tool's description could be better",
        "what the message says",
      ),
      warning(
        "PV-DENIES",
        "the policy denies a tool to an agent that lists it, or to a step that calls it",
        "remove the rule, or the tool from the agent's file or the flow",
      ),
      warning("PV-SCOPE", "the tenant's vault has no such scope yet", "`sluice secrets put SCOPE` (PUT /v1/secrets/SCOPE)"),
      warning(
        "PV-MODEL",
        "no provider of the tenant offers the model",
        "providers/NAME.yaml, or `sluice providers put NAME FILE` (PUT /v1/settings/providers/NAME)",
      ),
      warning(
        "PV-ROWS",
        "the dataset of a rule of the gate has too few rows to show that a write loses no more than the margin",
        "more rows (POST /v1/datasets/NAME/rows), or a larger margin",
      ),
      warning(
        "PV-PROBE",
        "a judge that the gate relies on was never probed in this version",
        "`sluice probe NAME` (POST /v1/scorers/NAME/probe)",
      ),
      warning(
        "PV-REPLACES",
        "a request has set the setting or the provider to something else, which the file replaces",
        "keep in the file what is to stay",
      ),
      warning(
        "PV-ASKS",
        "the hook's flow has a tool step that waits for a person in each run, because what a delivery brings is text from outside",
        "`effects: { after_untrusted: allow }` on the step, if its arguments may come from outside",
      ),
      error("PV-FLOW", "the flow does not exist, or a required task or input is missing", "correct the name, or add what is missing"),
      error(
        "PV-SECRET",
        "a value looks like a secret; files contain names of vault scopes, never secrets",
        "store it with `sluice secrets put SCOPE` (PUT /v1/secrets/SCOPE), and write the scope's name here",
      ),
    ],
  },
  {
    title: "Handlers",
    codes: [
      warning(
        "FV-DRIFT",
        "the keys of the handler's `Input` or `Output`, or of its return value, differ from the step's",
        "the same keys in both",
      ),
      error("CV-PARSE", "the file is not valid TypeScript or JavaScript", "fix the place named in the message"),
      error(
        "CV-LIMIT",
        "the file is larger than 256 KiB, bundled than 1 MiB, or nested too deeply",
        "a shorter handler, or smaller packages",
      ),
      error("CV-TYPES", "the file uses TypeScript that is not erasable", "plain types: no enums, namespaces or parameter properties"),
      either(
        "CV-TYPE",
        "the compiler of the project finds a fault in a handler's types, or against its step; only the command line says so",
        'see the compiler\'s message; `satisfies Handler<"FLOW/STEP">` types input and output',
      ),
      either(
        "CV-IMPORT",
        "over the API a handler is a single file without imports; of a project, what it imports is bundled, and this cannot be",
        "send the project with `sluice apply`, or copy the needed code into the file; what needs Node or a network is a tool's work",
      ),
      either("CV-POWER", "handlers cannot use the network or Node, or evaluate text as code", "use an agent with a tool instead"),
      error("CV-DEFAULT", "the file does not export a function by default", "`export default function (input, ctx) { return {} }`"),
    ],
  },
  {
    title: "The catalog",
    codes: [
      warning(
        "CAT-ALLOW",
        "a comment `sluice-allow` names no code, gives no reason, or silences no warning",
        "`# sluice-allow FV-REF-ORDER: the reason`, on the line, above its entry, or at the head of the file",
      ),
      error(
        "CAT-PATH",
        "the path does not match any kind of catalog file",
        "`agents/NAME.md`, `flows/NAME.yaml`, `skills/NAME/FILE`, `code/FLOW/STEP.ts`",
      ),
      error("CAT-TWICE", "two paths contain the same definition", "delete one of them"),
      error("CAT-CORRUPT", "the stored file is not readable", "write it again, or delete it"),
      warning("CAT-SHADOW", "the file hides a file of the same name in a lower tier", "another name, unless this is intended"),
      warning("CAT-HIDDEN", "a file of the same name in a higher tier hides this file", "another name, unless this is intended"),
      warning(
        "CAT-PACKAGE-TWICE",
        "two packages contain a file of this name; the package registered first wins",
        "remove it from one of them",
      ),
      error("CAT-PACKAGE", "the package name or version is invalid", "letters, digits, `-` and `_`"),
      error("CAT-EMPTY", "the bundle is empty", "at least one file"),
      error(
        "CAT-MANY",
        "the bundle, the catalog or a package has more than 5,000 files, or there are more than 50 packages",
        "remove files that are not used",
      ),
      either("CAT-MORE", "there are more problems than a response shows: 100 per file, 1,000 in total", "fix these, then check again"),
      either(
        "CAT-NO-FLOW",
        "tests or a rehearsal belong to a flow that does not exist: an error when the file is written, a warning when it is already stored",
        "rename the file, or write the flow",
      ),
      warning("CAT-SKILL-INDEX", "the skill of this file has no SKILL.md", "write SKILL.md"),
      error("CAT-MANIFEST", "a skill's manifest.json is invalid, so the skill does not load", "what the message suggests"),
      warning("CAT-SKILL-FILE", "SKILL.md lists a file that is not stored", "write the file, or remove it from the list"),
      warning("CAT-SKILL-UNLISTED", "SKILL.md does not list a stored file, so agents cannot read it", "add it to the list"),
    ],
  },
  {
    title: "Imports",
    codes: [
      error("IV-FILE", "the import cannot use this file; the message says why", "what the message suggests"),
      error("IV-TWICE", "another file of the import already provides this definition", "keep one of the two"),
      error("IV-SKILL", "the SKILL.md of the file's skill was refused", "fix SKILL.md first"),
    ],
  },
]

/** One of the codes above. */
export type DiagnosticCode = (typeof CODES)[number]["codes"][number]["code"]
