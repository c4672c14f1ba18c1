// Scenarios of the suite that fail here, and why: each needs a tool or a feature that a tenant made of flows lacks.

const LOGGING = "no logging capability: progress reports what a call does, and the journal what a run did"
const CONTENT = "the fixture expects a tool that answers with this content; a flow answers with text and structure"
const RESOURCES = "the fixture expects its own resources (test://…); a tenant's are its skills and the files of its runs"
const PROMPTS = "the fixture expects its own prompts; a tenant's are its flows"
const CLIENT_MODEL = "a run asks the tenant's models, never the client's"
const FORM =
  "the fixture expects its own form or request names and replies to those; a run's question has the fields of its interaction [Q2], and an invalid answer leaves it open"
const COMPLETION = "the fixture completes an argument of its own prompt, which no flow is"

export const EXPLAINED: Readonly<Record<"2025-11-25" | "2026-07-28", Readonly<Record<string, string>>>> = {
  "2025-11-25": {
    "logging-set-level": LOGGING,
    "completion-complete": COMPLETION,
    "tools-call-image": CONTENT,
    "tools-call-audio": CONTENT,
    "tools-call-embedded-resource": CONTENT,
    "tools-call-mixed-content": CONTENT,
    "tools-call-with-logging": LOGGING,
    "tools-call-sampling": CLIENT_MODEL,
    "tools-call-elicitation": FORM,
    "elicitation-sep1034-defaults": FORM,
    "elicitation-sep1330-enums": FORM,
    "resources-read-text": RESOURCES,
    "resources-read-binary": RESOURCES,
    "resources-templates-read": RESOURCES,
    "resources-subscribe": RESOURCES,
    "resources-unsubscribe": RESOURCES,
    "prompts-get-simple": PROMPTS,
    "prompts-get-with-args": PROMPTS,
    "prompts-get-embedded-resource": PROMPTS,
    "prompts-get-with-image": PROMPTS,
  },
  "2026-07-28": {
    "server-stateless":
      "2 of 28 checks want -32021 from a tool that cannot work without the client's model (sampling); a run never needs it",
    "completion-complete": COMPLETION,
    "tools-call-image": CONTENT,
    "tools-call-audio": CONTENT,
    "tools-call-embedded-resource": CONTENT,
    "tools-call-mixed-content": CONTENT,
    "resources-read-text": RESOURCES,
    "resources-read-binary": RESOURCES,
    "resources-templates-read": RESOURCES,
    "prompts-get-simple": PROMPTS,
    "prompts-get-with-args": PROMPTS,
    "prompts-get-embedded-resource": PROMPTS,
    "prompts-get-with-image": PROMPTS,
    "input-required-result-basic-elicitation": FORM,
    "input-required-result-basic-sampling": CLIENT_MODEL,
    "input-required-result-basic-list-roots": "a run works in its own workspace and asks for no roots",
    "input-required-result-request-state": FORM,
    "input-required-result-multiple-input-requests": `${CLIENT_MODEL}; nor for roots`,
    "input-required-result-multi-round": FORM,
    "input-required-result-non-tool-request": PROMPTS,
    "input-required-result-capability-check":
      "the fixture wants a request for sampling and none for elicitation; the second holds, the first is never made",
  },
}

const STEP_UP =
  "a call that needs more rights than a person gave fails with the server's words: an administrator connects the server again; nobody is there to consent while a run calls"
const NO_SECOND_THOUGHT =
  "the fixture wants its first call to go on until the question is answered; ours is given up, and made again with the answer"

/** Our client against the suite's servers. */
export const EXPLAINED_CLIENT: Readonly<Record<"2025-11-25" | "2026-07-28", Readonly<Record<string, string>>>> = {
  "2025-11-25": { "elicitation-sep1034-client-defaults": NO_SECOND_THOUGHT, "auth/scope-step-up": STEP_UP },
  "2026-07-28": { "auth/scope-step-up": STEP_UP },
}
