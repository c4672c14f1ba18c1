// Every code that a check can give: how bad it is, what it says, what to write instead [F54]. The manual is made from this table, and
// the compiler checks every code in the source against it.
//
// `npm run diagnostics` writes docs/DIAGNOSTICS.md and the skill's diagnostics.md. Tests ask for one fixture for each code of a file
// (test/fixtures/codes).
//
// Over 300 lines: it is a table, one row for each code.

export interface Code<C extends string = string> {
  readonly code: C
  /** `either`: it depends; `what` says on what. */
  readonly severity: "error" | "warning" | "either"
  readonly what: string
  /** What to do, or to write. */
  readonly write: string
}

/** The prefix of the codes of one kind of YAML file: flows, agents, skills, rehearsals. */
export type FileFamily = "FV" | "AV" | "SV" | "RV"

const error = <C extends string>(code: C, what: string, write: string): Code<C> => ({ code, severity: "error", what, write })
const warning = <C extends string>(code: C, what: string, write: string): Code<C> => ({ code, severity: "warning", what, write })
const either = <C extends string>(code: C, what: string, write: string): Code<C> => ({ code, severity: "either", what, write })

/** What can be wrong with any YAML file [F1]. */
const anyFile = <F extends FileFamily>(family: F) => [
  error(`${family}-PARSE`, "it is not YAML, or not the shape that belongs there", "correct the place that is named"),
  warning(`${family}-TEXT`, "a value begins with `@` or a backtick, or holds `: `; it is taken as text", "put the value in quotes"),
  error(`${family}-LIMIT`, "larger than 256 KiB, deeper than 20 levels, or more than 2,000 keys", "split the file"),
  error(
    `${family}-KEY`,
    "`__proto__`, `constructor`, `prototype`, merge keys and keys that are no words are refused",
    "choose another name",
  ),
  error(`${family}-DUP-KEY`, "a key is there twice", "keep one of them"),
  error(`${family}-ALIAS`, "anchors and aliases are not used here", "write the value out, or quote it if it is text"),
  error(`${family}-TAG`, "tags are not used here", "leave it out, or quote the value if it is text"),
  error(`${family}-DIRECTIVE`, "files are read as YAML 1.2, without directives", "leave the line out"),
  error(`${family}-DOCUMENTS`, "a second document begins; a file holds one", "leave out the line `---`"),
  either(`${family}-MORE`, "more than 1,000 faults; the rest is not shown", "correct the first ones, then look again"),
]

const unknownKey = <F extends FileFamily>(family: F) =>
  warning(`${family}-UNKNOWN-KEY`, "nobody reads this key", "the nearest known key is named; or leave it out")

export const CODES = [
  { title: "Flows: the file", codes: [...anyFile("FV"), unknownKey("FV")] },
  {
    title: "Flows: shape",
    codes: [
      error("FV-NAME", "the flow has no name", "`name: review`"),
      error("FV-DESC", "the flow has no description", "`description: what it does, in a sentence`"),
      error("FV-STEPS", "the flow has no list of steps, or an empty one", "`steps:` and one step at least"),
      error("FV-ID", "a step's id has characters that ids may not have, or is refused", "letters, digits, `_` and `-`"),
      error("FV-ID-EMPTY", "a step's id is empty", "`id: step1`"),
      error("FV-ID-DUP", "two steps have the same id", "rename the second"),
      warning("FV-ID-DOT", "an id with a dot works, but is easily misread", "`-` in place of the dot"),
      error(
        "FV-INPUT",
        "an input of the flow has no known type, no proper name, or a default of another type",
        "`topic: { type: string, required: true }`",
      ),
      warning("FV-TYPE-INFER", "the step does not say its type; it is guessed from its keys", "the line that is shown, `type: agent`"),
      error("FV-TYPE-CONFLICT", "keys of two types on one step", "say the type, and leave the other key out"),
      error("FV-TYPE-MISSING", "the step's keys belong to a type that nobody infers", "the line that is shown, `type: map`"),
      error("FV-TYPE-REMOVED", "a type of another time or another system", "the lines that are shown: what says the same here"),
      error("FV-APPROVAL", "no rule for an approval", "`never`, `always`, or a condition that can be read"),
      error("FV-BUDGET", "no limit, or of no unit", "`budget: { usd: 2.50 }`; the units are usd, tokens, tool_calls, steps"),
      warning(
        "FV-BUDGET-LEAST",
        "the budget is smaller than the shortest way through the flow, or than one model call: every run stops and asks",
        "a higher limit, or none",
      ),
      warning(
        "FV-BUDGET-STEPS",
        "the budget allows fewer steps than the flow's own worst case opens, all loops and retries taken",
        "the number that is shown, or a lower `max_iterations` or `retry`",
      ),
    ],
  },
  {
    title: "Flows: agents and their inputs",
    codes: [
      error("FV-AGENT", "the agent of a step does not exist", "correct the name, or write the agent first"),
      error("FV-AGENT-DEC", "the agent of a decision does not exist", "correct the name, or write the agent first"),
      error("FV-ROUTES-AGENT", "the agent of a step routes to one that does not exist", "correct the name, or write the agent first"),
      error("FV-COORDINATOR", "more than one coordinator works in the flow, or is routed to", "make the others specialists"),
      error("FV-FORK-AGENT", "the agent of a fork does not exist", "correct the name, or leave it out: then the built-in one decides"),
      warning(
        "FV-IN-UNWIRED",
        "the agent declares an input that the step does not wire; it will be empty",
        '`inputs: { doc: "${{result.a.summary}}" }`',
      ),
      warning("FV-IN-EXTRA", "the step wires an input that the agent does not declare", "correct the name, or declare it in the agent"),
      warning(
        "FV-IN-UNUSED",
        "an input is wired, but neither the agent's body nor the task reads it",
        "`${{input.NAME}}` where it belongs",
      ),
      warning("FV-PATH-READ", "an input looks like a path, and its agent cannot read", "`tools: read` in the agent"),
    ],
  },
  {
    title: "Flows: order",
    codes: [
      error("FV-BLOCK-UNKNOWN", "`blockedBy` names no step", "one of the ids that are listed"),
      either(
        "FV-BLOCK-ORDER",
        "`blockedBy` names a later step (error), or an earlier one that is no agent step and is waited for anyway (warning)",
        "move the step, or leave it out of `blockedBy`",
      ),
      error("FV-CYCLE", "steps wait for each other in a ring; the message walks it", "drop one `blockedBy`"),
    ],
  },
  {
    title: "Flows: routes",
    codes: [
      error("FV-BRANCH", "a branch leads to no step", "one of the ids that are listed"),
      error("FV-LOOP-TARGET", "`loop_target` is no step", "one of the ids that are listed"),
      error("FV-EXIT-TARGET", "`exit_target` is no step", "one of the ids that are listed"),
      error(
        "FV-ROUTE",
        "`on_error`, `on_complete`, `on_timeout`, `present` or `absent` leads to no step",
        "one of the ids that are listed",
      ),
      warning("FV-LOOP-FWD", "`loop_target` comes after the decider, so nothing is repeated", "name a step before it"),
      error("FV-EXIT-BACK", "`exit_target` leads back, so the loop never ends", "name a step after it"),
      error("FV-ONCOMPLETE", "`on_complete` leads back", "a decision with `max_iterations`"),
      error(
        "FV-ROUTE-BACK",
        "`on_error`, `on_timeout`, `present` or `absent` leads back",
        "a decision with `max_iterations`; to run a step again, `retry: { max: 2 }`",
      ),
      error("FV-DEC-MIN", "a decision has fewer than two branches", "add a branch, or make it a plain step"),
      either(
        "FV-DEC-LOOP",
        "a branch leads back and nothing says how often; of a fork that a person answers it is a warning",
        "`max_iterations: 3`",
      ),
      either(
        "FV-EXHAUSTED",
        "`on_exhausted` names no branch that leads on (error), or is missing where several do (warning)",
        "`on_exhausted: LABEL`",
      ),
      error("FV-FORK-KEY", "a branch of a fork is none of its options", "the option's own words, letter by letter"),
      error("FV-FORK-OPTION", "an option of a fork has no branch, or is there twice", "`branches: { LABEL: step-id }`"),
      error("FV-FORK-CUSTOM", "`allowCustom` without an agent that could route the answer", "`agent: NAME`"),
      error("FV-FORK-MULTI", "a branch leads back where several may be chosen at once", "`multiSelect: false`, or lead the branch on"),
      warning(
        "FV-BRANCH-FALL",
        "the file leads from one branch on to another, or to what only another names, which will be skipped",
        "the `on_complete:` line that is shown",
      ),
      warning("FV-UNREACHABLE", "nothing leads to this step", "lead a branch to it, or leave it out"),
    ],
  },
  {
    title: "Flows: templates",
    codes: [
      error("FV-TPL-PREFIX", "the first word is no root; a step needs `result.` in front", "`${{result.STEP.FIELD}}`"),
      error("FV-TPL-FORM", "no such form of this root", "the form that is shown; `$${{` if it is to stay as it is"),
      error("FV-TPL-DEEP", "templates take a value whole", "an output of its own for the part that you need"),
      warning("FV-TPL-BRACE", "single braces stay as they are written", "`${{…}}`"),
      error("FV-TPL-ANGLE", "angle brackets stay as they are written", "`${{result.STEP.FIELD}}`"),
      error("FV-REF-STEP", "no such step", "one of the ids that are listed"),
      error("FV-REF-FIELD", "the step gives no such field", "one of the fields that are listed, or declare the output"),
      either(
        "FV-REF-ORDER",
        "the step comes later or runs beside (error), or may have been skipped (warning)",
        "`blockedBy: STEP`, or another order",
      ),
      either("FV-REF-INPUT", "no such input of the flow (error), or of the step (warning: it will be empty)", "declare it, or wire it"),
      warning("FV-REF-CONFIG", "the flow's config has no such key", "`config: { KEY: … }`"),
      warning("FV-REF-LOOP", "the step counts no iterations; it will be 0", "one of the steps that do"),
      error("FV-REF-FORK", "the step is no fork", "`${{result.STEP.summary}}`"),
      error("FV-REF-ITEM", "`item` and `index` are known only in the task and the inputs of a map", "the whole list by its own reference"),
    ],
  },
  {
    title: "Flows: code",
    codes: [
      error("FV-CODE-ID", "the id of a code step names its handler's file, and cannot", "letters, digits, `_` and `-`"),
      error("FV-CODE-IN", "the input of a handler is no name for a variable", "`the_text` in place of `the-text`"),
      error("FV-CODE-OUT", "an output of a handler is no name for a variable, or one that every result has", "another name"),
      error("FV-CODE-OUTDUP", "an output is there twice", "leave one of them out"),
      error("FV-CODE-BRANCH", "`branch` is what a code-decision returns beside its outputs", "leave it out of `outputs`"),
      error(
        "FV-CODE-ONERROR",
        "a code-decision that fails ends the run; `on_error` would never be taken",
        "a branch for what may go wrong",
      ),
      warning("FV-CODE-HANDLER", "no handler is stored for the step yet", "`PUT /v1/code/FLOW/STEP`"),
    ],
  },
  {
    title: "Flows: children, maps, waits",
    codes: [
      error("FV-FLOW", "the flow to run does not exist", "correct the name, or write the flow first"),
      error("FV-FLOW-PATH", "this names no flow: a pattern, a template, or no file of a flow", "`flow: NAME`, or `path: flows/NAME.yaml`"),
      error(
        "FV-FLOW-INPUT",
        "the child needs an input that is not wired, has none of that name, or wants another type",
        "the line that is shown",
      ),
      either(
        "FV-FLOW-RECURSION",
        "the flow runs itself and nothing decides against it (error), or ends only where a list is empty (warning)",
        "a decision with a branch that leads past the step",
      ),
      error("FV-FLOW-DEPTH", "more than 5 runs would stand below the first", "make one of them a flow of its own"),
      error(
        "FV-MAP-OVER",
        "`over` is not exactly one reference, or not to a list",
        '`over: "${{result.STEP.OUTPUT}}"` with an output of type array',
      ),
      error("FV-MAP-CONCURRENT", "more than 100 children at once", "`max_concurrent: 100`"),
      error("FV-MAP-TOLERATE", "`tolerate` is neither a count nor a share", "`tolerate: 3`, or `tolerate: 10%`"),
      error("FV-WAIT", "a wait has exactly one of `until`, `for`, `signal`", "keep one of them"),
      error("FV-WAIT-SIGNAL", "the name of a signal does not fit into an address", "letters, digits, `_` and `-`"),
      error("FV-WAIT-TIME", "no duration, or no time", "`for: 30s`, or `until: 2027-01-31T09:00:00Z`"),
      error("FV-WAIT-TIMEOUT", "`on_timeout` without a signal, or without a timeout", "`timeout: 1h`"),
    ],
  },
  {
    title: "Agents: the file",
    codes: [
      error("AV-FM-MISSING", "the file does not begin with frontmatter", "`---`, the fields, `---`, then the body"),
      error("AV-FM-OPEN", "the frontmatter is not closed", "a second line `---`"),
      ...anyFile("AV"),
      unknownKey("AV"),
      error("AV-FIELD", "a field has the wrong kind of value", "as the message says"),
      warning("AV-UNUSED", "the field is read, but has no effect yet", "leave it out"),
    ],
  },
  {
    title: "Agents: fields",
    codes: [
      error("AV-NAME", "the agent has no name, or none that a name can be", "`name: reviewer`"),
      error("AV-NAME-FILE", "the name is not the file's", "the line that is shown"),
      error("AV-DESC", "the agent has no description", "`description: what it does, and when to use it`"),
      either("AV-MODEL", "no model is named (warning: the tenant's default is used), or it cannot be read (error)", '`model: "@fast"`'),
      warning("AV-MODEL-ROLE", "a role that is none of the usual ones", "one of those that are listed, or map it in the settings"),
      error("AV-THINKING", "an unknown level of thinking", "off, minimal, low, medium, high, xhigh, max"),
      warning("AV-TOOLS", "no tools are listed, so it can only finish", "`tools: read, write`"),
      error("AV-TOOLS-BOTH", "two lists of tools, or a list and an exclusion", "leave one of them out"),
      either(
        "AV-TOOL",
        "no such tool (error); a warning among those denied or approved, and of a pattern that matches none",
        "one of those that are listed",
      ),
      error("AV-TOOL-FINISH", "every agent has `finish`; it is not for declaring", "leave it out"),
      warning("AV-TOOL-ROLE", "a tool that this agent is never given", "leave it out, or `role: architect`"),
      error("AV-SKILL", "no such skill", "correct the name, or write the skill first"),
      either("AV-INPUT", "no name for an input (error), or one that is there twice (warning)", "letters, digits, `_` and `-`"),
      warning("AV-OUTPUT", "no name for an output, or one that is there twice; it is left out", "letters, digits, `_` and `-`"),
      error("AV-OUTPUT-RESERVED", "the output has the name of a field that every finish has", "another name"),
      error("AV-OUTPUT-TYPE", "an unknown type of output", "string, number, boolean, object, array"),
      warning("AV-PATTERN", "the pattern cannot be used, or stands beside another type than text", "a simpler pattern, or none"),
      warning("AV-ACCESS", "this does not look like a path of the workspace", "`src/**`, `docs/*.md`"),
      error(
        "AV-APPROVAL",
        "no rule for an approval, or for a group that there is not",
        '`never`, `always`, or `{ kind: dynamic, value: "args.amount > 100" }`',
      ),
      warning(
        "AV-TRIFECTA",
        "it reads what is private, reads text from outside and can send something away; the three tools are named",
        "one of the three to another agent, an approval, or `effects: { after_untrusted: ask }`",
      ),
      warning("AV-CARD-TYPE", "an unknown kind of card", "status, metric, progress, log"),
    ],
  },
  {
    title: "Agents: roles and toolkits",
    codes: [
      warning("AV-ROLE", "an unknown role; the agent is treated as a specialist", "coordinator, planner, executor, specialist, architect"),
      error("AV-ROUTES-NONE", "a coordinator, or an agent with the toolkit `agents`, has no routes", "`routes: [NAME]`"),
      error("AV-ROUTES-ROLE", "routes of an agent that calls no others", "`role: coordinator`, or leave them out"),
      error("AV-ROUTES-SELF", "an agent routes to itself", "leave it out"),
      error("AV-ROUTES-DUP", "a route is there twice", "keep one of them"),
      error("AV-PLAN", "a planner or an executor without a plan", "`plan: NAME`, as `PUT /v1/plans/NAME` has it"),
      error("AV-TOOLKIT", "no such toolkit", "references, plans, agents, catalog"),
    ],
  },
  {
    title: "Agents: the body",
    codes: [
      warning("AV-TASK", "the body never says the task; it still comes as a message", "`${{task}}`"),
      warning("AV-IN-UNDECLARED", "the body reads an input that is not declared", "`inputs: [NAME]`"),
      warning("AV-BRACE", "single braces stay as they are written", "`${{…}}`"),
      warning(
        "AV-TPL-PREFIX",
        "a template begins with a word that is no root; it stays as it is written",
        "one of the roots that are listed",
      ),
      warning("AV-TPL-FORM", "no such form; it stays as it is written", "`$${{` if that is what you want"),
      warning("AV-REF-ITEM", "`item` and `index` are known only in a map; here they are empty", "an input of the agent"),
    ],
  },
  {
    title: "Skills",
    codes: [
      error("SV-FM-MISSING", "SKILL.md does not begin with frontmatter", "`---`, the fields, `---`, then the text"),
      error("SV-FM-OPEN", "the frontmatter is not closed", "a second line `---`"),
      ...anyFile("SV"),
      unknownKey("SV"),
      error("SV-NAME", "the skill has no name, or none that a name can be", "`name: style`"),
      error("SV-NAME-FOLDER", "the name is not the folder's", "the line that is shown"),
      error("SV-DESC", "the skill has no description", "`description: what it holds, and when to read it`"),
      error("SV-FIELD", "a field has the wrong kind of value", "as the message says"),
      error("SV-FILE", "a listed path leads out of the skill", "a path inside the folder"),
      warning("SV-STANDARD", "beyond the limits of the Agent Skills standard", "shorter"),
    ],
  },
  {
    title: "Rehearsals",
    codes: [
      ...anyFile("RV"),
      error("RV-TURN", "a turn that cannot be played", "`- finish: { status: complete, summary: done }`"),
      warning("RV-STEP", "the flow has no such step", "one of the ids that are listed"),
    ],
  },
  {
    title: "Handlers",
    codes: [
      warning(
        "FV-DRIFT",
        "the handler's `Input` or `Output` names other keys than the step does",
        "what the message names, in one of the two",
      ),
      error("CV-PARSE", "it is not TypeScript, or not JavaScript", "correct the place that is named"),
      error("CV-LIMIT", "larger than 256 KiB, or too nested to be read", "a shorter handler"),
      error("CV-TYPES", "TypeScript that cannot be stripped to JavaScript", "plain types: no enums, namespaces or parameter properties"),
      either("CV-IMPORT", "a handler is one file and reaches nothing outside it", "copy what it needs into it"),
      either("CV-POWER", "something that a handler cannot do: the network, code made of text", "let an agent with a tool do it"),
      error("CV-DEFAULT", "no default export that is a function", "`export default function (input, ctx) { return {} }`"),
    ],
  },
  {
    title: "The catalog",
    codes: [
      error("CAT-PATH", "no path for such a file", "`agents/NAME.md`, `flows/NAME.yaml`, `skills/NAME/FILE`, `code/FLOW/STEP.ts`"),
      error("CAT-TWICE", "one definition under two paths", "delete one of them"),
      error("CAT-CORRUPT", "what is stored cannot be read", "write it again, or delete it"),
      warning("CAT-SHADOW", "it hides a file of the same name in a lower tier", "another name if that is not meant"),
      warning("CAT-HIDDEN", "this one is hidden by a file of the same name in a higher tier", "another name if that is not meant"),
      warning("CAT-PACKAGE-TWICE", "two packages have a file of this name; the one registered first counts", "take it out of one of them"),
      error("CAT-PACKAGE", "no name or version for a package", "letters, digits, `-` and `_`"),
      error("CAT-EMPTY", "nothing is in the bundle", "send one kind of file at least"),
      error(
        "CAT-MANY",
        "more than 2,000 files in the bundle, the catalog or a package, or more than 50 packages",
        "remove what is not used",
      ),
      warning("CAT-SKILL-INDEX", "a file of a skill without SKILL.md", "write SKILL.md"),
      error("CAT-MANIFEST", "a skill's manifest.json cannot be understood, so the skill does not load", "what the message names"),
      warning("CAT-SKILL-FILE", "SKILL.md lists a file that is not stored", "write it, or take it off the list"),
      warning("CAT-SKILL-UNLISTED", "a stored file is not on the list of SKILL.md: nobody can read it", "add it to the list"),
    ],
  },
  {
    title: "Imports",
    codes: [
      error("IV-FILE", "the import does not read this file; the message says why", "what the message names"),
      error("IV-TWICE", "another file of the import already becomes this definition", "keep one of the two"),
      error("IV-SKILL", "the SKILL.md of the file's skill was refused", "correct SKILL.md first"),
    ],
  },
]

/** One of the codes above, and nothing else. */
export type DiagnosticCode = (typeof CODES)[number]["codes"][number]["code"]
