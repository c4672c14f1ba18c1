// Bounds of src/api, src/http, src/mcp, src/models, src/ports, src/client and src/tools: requests, replies, settings, tools.

import type { LimitTable } from "./limit.ts"

const ATTACHED = "http/doors/attachments.test.ts"
const A2A_FIELDS: [string, string] = ["http/doors/a2a.test.ts", "what is too long is named"]
const CHAT_TTL: [string, string] = ["http/doors/chat-token.test.ts", "60 to 3600 seconds"]
const API = "limits/api-bounds.test.ts"
const BEYOND = "beyond its bound is a fault with its place, its limit and its size"
const DOOR = "http/middleware/door.test.ts"
const SIZE = "limits/tool-bounds.test.ts"
const AISDK = "contract/model-ai-sdk.test.ts"
const PAGE = "tools/web/web-fetch.test.ts"
const SKILLS = "tools/shell/skill-mount.test.ts"
const SOURCE = "http/tools/openapi-source.test.ts"
const BASH = "tools/shell/bash.test.ts"
const ATTACKS = "tools/shell/attacks.test.ts"
const TOOLS = "tools/tools.test.ts"
const SANDBOX = "engine/code/sandbox.test.ts"
const AGUI = "http/doors/agui-body.test.ts"

export const EDGE: LimitTable = {
  "tools/browser/browser-content.ts": {
    MOST_LINE: ["characters of a control of a page", "the rest is cut", ["tools/browser/browser-tools.test.ts", "are shown to a length"]],
  },
  "tools/browser/browser-page.ts": {
    MOST_SHOWN: [
      "characters of a page's title and of a note",
      "the rest is cut",
      ["tools/browser/browser-tools.test.ts", "are shown to a length"],
    ],
  },
  "http/doors/agui/body.ts": {
    MAX_RUN_ID: ["characters of an AG-UI run's id", "422", [AGUI, "a body of another form is refused"]],
    MAX_RESUMES: ["answers of an AG-UI `resume`", "422", [AGUI, "a body of another form is refused"]],
  },
  "http/doors/client-history.ts": {
    MAX_TEXTS: [
      "texts of a conversation that are looked up",
      "all of it counts as text from outside",
      ["http/doors/outsiders.test.ts", "more than 400 texts"],
    ],
  },
  "http/doors/a2a/message.ts": { MAX_MESSAGE_ID: ["characters of the id of a message of A2A", "400", A2A_FIELDS] },
  "http/doors/a2a/push.ts": {
    MAX_ID: ["characters of the id of a push configuration", "400", A2A_FIELDS],
    MAX_TOKEN: ["characters of its token", "400", A2A_FIELDS],
    MAX_SCHEME: ["characters of its scheme", "400", A2A_FIELDS],
    MAX_CREDENTIALS: ["characters of its credentials", "400", A2A_FIELDS],
  },
  "http/runs/inbox.ts": { MAX_FLOWS: ["flows of a list of interactions", "422", ["http/runs/inbox.test.ts", "more than 50 flows"]] },
  "http/runs/diff.ts": {
    MAX_ROWS: ["files of a page of a diff", "422 at `?limit`", ["worker/run/files-diff.test.ts", "what is no moment"]],
  },
  "http/runs/feed.ts": {
    QUIET_MS: [
      "milliseconds of silence of a tenant's stream",
      "a comment shows that it is alive",
      ["http/runs/feed.test.ts", "ends by itself"],
    ],
    TOGETHER_MS: ["milliseconds whose events come together", "the next ones come later"],
    MAX_LOOKS: ["looks of one stream", "it ends, and its reader goes on from its last id", ["http/runs/feed.test.ts", "ends by itself"]],
  },
  "http/catalog/proof-view.ts": {
    MAX_PROOF_MS: [
      "milliseconds that a session waits for the proof of a repair",
      "it is ready without",
      ["http/catalog/repairs.test.ts", "a proof that takes too long holds nobody up"],
    ],
  },
  "http/doors/attachments.ts": {
    MAX_ATTACHMENTS: ["files of a message", "400", [ATTACHED, "at most 20 files"]],
    MAX_NAME: ["characters of a file's name in a message", "the rest is cut", [ATTACHED, "a file gets a safe name"]],
    MAX_ENDING: ["characters of a long name's ending that stay", "a longer one is cut too", [ATTACHED, "a long name keeps its ending"]],
  },
  "http/runs/answer-about.ts": {
    MAX_ABOUT: [
      "characters of a task or a description on the page of a link",
      "its end is left out",
      ["http/runs/answer-page.test.ts", "of a long task 2,000 characters are shown"],
    ],
  },
  "api/catalog.ts": {
    MAX_PATH: ["characters of a path in a bundle", "422 at the member", [API, "a path in a bundle"]],
    MAX_MEMBERS: ["members of a kind in a bundle", "422 at the member", [API, BEYOND]],
    MAX_ARCHIVE: ["characters of a file of an import", "422 at the member", [API, "every member of the body"]],
  },
  "api/insight.ts": {
    MAX_USAGE_DAYS: [
      "days of one answer about usage",
      "422 at `?from`",
      ["http/insight/insight.test.ts", "400 days are answered, 401 are 422"],
    ],
  },
  "api/effects.ts": { MAX_KEYS: ["effects that one undo names", "422 at `/keys`", [API, BEYOND]] },
  "api/tests.ts": {
    MAX_PROPOSED: ["files that a test or a backtest proposes", "422 at the member", [API, BEYOND]],
    MAX_RUNS: ["recorded runs of a backtest", "422 at the member", [API, BEYOND]],
    MAX_MODELS: ["models that a backtest changes", "422 at the member", [API, BEYOND]],
  },
  "api/forks.ts": {
    MAX_PATCHED: ["files, and agents, of a fork's patch", "422 at the member", [API, "every member of the body"]],
    MAX_PATH: ["characters of a path in a fork's patch", "422 at the member", [API, "every member of the body"]],
    MAX_SUMMARY: ["characters of a summary that a fork gives in an agent's place", "422 at the member", [API, "every member of the body"]],
    MAX_CALL_ID: ["characters of a call's id that a fork gives", "422 at the member", [API, "every member of the body"]],
    MAX_PROMPT: ["characters of a prompt that a recorded turn is tried with", "422 at the member", [API, "every member of the body"]],
  },
  "api/references.ts": {
    MOST_REFERENCE_KINDS: [
      "kinds of references of a tenant",
      "409 `too_many_kinds`",
      ["worker/tenant/counts.test.ts", "a tenant has at most so many"],
    ],
    MOST_PLAN_KINDS: [
      "kinds of plans of a tenant",
      "409 `too_many_kinds`",
      ["worker/tenant/counts.test.ts", "a tenant has at most so many"],
    ],
  },
  "api/route.ts": {
    LARGE_BODY: [
      "bytes of a body that carries files, an import or a document",
      "413 `too_large`",
      ["worker/run/given-files.test.ts", "10 MiB with files"],
    ],
    MAX_PAGE: ["rows of a page", "422 at `?limit`", ["http/middleware/page.test.ts", "a bad limit, a bad cursor"]],
    MAX_WORDS: ["characters of a query parameter or a header", "422 at the parameter", [API, "the parameter %s beyond its bound is 422"]],
    MAX_CURSOR: ["characters of a cursor", "422 at `?cursor`", [API, "the parameter %s beyond its bound is 422"]],
    MAX_PATH_PARAMETER: ["characters of a part of a path", "404", [API, "a part of a path that is longer than any id is 404"]],
  },
  "api/runs.ts": {
    MAX_TOKEN_TTL: [
      "seconds of a run's token",
      "422 at `/ttl`",
      ["http/runs/run-token.test.ts", "it is valid for 300 s or for the requested time"],
    ],
  },
  "api/ui-doors.ts": {
    MIN_CHAT_TTL: ["seconds of a chat token, at least", "422 at `/ttl`", CHAT_TTL],
    MAX_CHAT_TTL: ["seconds of a chat token", "422 at `/ttl`", CHAT_TTL],
  },
  "api/settings.ts": {
    MAX_SILENCE_SECONDS: ["seconds of a provider's `silenceSeconds`", "422", ["http/settings/settings.test.ts", "is 422 at"]],
    MAX_OPTIONS: ["characters of a provider's options as JSON", "422", ["http/settings/settings.test.ts", "is 422 at"]],
    MAX_VALUES: ["values of a secret's scope", "422 at `/values`", [API, BEYOND]],
    MAX_SECRET: ["characters of a secret", "422 at the value", ["http/settings/secrets.test.ts", "a value that is too long"]],
  },
  "api/trust.ts": {
    MAX_RECEIPT_BYTES: ["bytes of a receipt that is verified over HTTP", "413", ["worker/run/receipt.test.ts", "too much is 413"]],
  },
  "http/pages/static-files.ts": {
    MAX_KEPT: [
      "bytes of files for browsers that an isolate keeps",
      "the file is read again",
      ["http/pages/static-files.test.ts", "a file that is dropped is read again"],
    ],
  },
  "http/trust/compare.ts": {
    MAX_COMPARISONS: [
      "comparisons of lines for all diffs of two runs",
      "a changed text is shown as removed and added",
      ["worker/run/fork/compare.test.ts", "beyond the comparisons of one answer"],
    ],
  },
  "http/middleware/body.ts": {
    BODY_LIMIT: ["bytes of a body", "413 `too_large`", [DOOR, "413 comes before 401, and names the limit"]],
    DEPTH_LIMIT: ["levels of a JSON body", "422", [DOOR, "is nested deeper than 64 levels"]],
    MAX_VALUES: ["values of a JSON body of more than 1 MiB", "422", ["http/middleware/large-json.test.ts", "more values than are checked"]],
  },
  "http/middleware/idempotency.ts": {
    STORED_LIMIT: [
      "characters of an answer stored under a key",
      "its 202 is stored instead",
      ["http/middleware/idempotency.test.ts", "an answer too large for a row is stored as its 202"],
    ],
  },
  "http/middleware/problem.ts": {
    MAX_FAULTS: ["faults told of a request", "further ones are not told", [DOOR, "all faults of a body are listed at once"]],
  },
  "http/openapi/type-text.ts": {
    DEPTH: [
      "levels of a type on the document's page",
      "deeper levels are `any`",
      ["limits/answer-bounds.test.ts", "a type on the document's page has six levels"],
    ],
  },
  "http/runs/start-run.ts": {
    WAIT_LIMIT: ["seconds of `Prefer: wait`", "counts as 90", ["http/runs/start-run.test.ts", "more than 90 s counts as 90 s"]],
  },
  "http/settings/prices.ts": { MAX_PRICES: ["models with a price", "422", ["limits/core-bounds.test.ts", "prices"]] },
  "http/tools/objects.ts": {
    MAX_LISTED: ["shared files of a page", "422 at `?limit`", ["worker/blobs/objects.test.ts", "invalid keys and parameters are refused"]],
  },
  "http/tools/registered-tools.ts": {
    MAX_SHOWN: [
      "characters of a description in a preview of an import",
      "cut",
      ["http/tools/openapi-source.test.ts", "a long description in a preview is cut"],
    ],
  },
  "http/tools/mcp-connect.ts": {
    CONNECT_MS: [
      "milliseconds in which a person comes back from connecting an MCP server",
      "a page that says so",
      ["engine/net/mcp-connect.test.ts", "a state counts once, for ten minutes"],
    ],
  },
  "mcp/completions.ts": {
    MAX_VALUES: ["values of a completion over MCP", "`hasMore`", ["mcp/reading-bounds.test.ts", "a completion has 100 values"]],
    MAX_RUNS: [
      "runs that a completion over MCP looks at",
      "older ones are not offered",
      ["mcp/reading-bounds.test.ts", "of the latest 200 runs"],
    ],
  },
  "mcp/flow-results.ts": {
    MAX_TEXT: [
      "characters of an answer of flow_results",
      "the rest is read over HTTP",
      ["mcp/reading-bounds.test.ts", "10,000 characters of"],
    ],
    MAX_RUNS: ["runs that flow_results looks at", "older ones are named by their id", ["mcp/reading-bounds.test.ts", "the latest 50 runs"]],
  },
  "mcp/page-of.ts": { PAGE: ["entries of a page over MCP", "the next page", ["http/tools/mcp.test.ts", "many flows are listed in pages"]] },
  "mcp/resources.ts": {
    MAX_RUNS: [
      "runs whose files MCP lists",
      "older ones are read by the template",
      ["mcp/reading-bounds.test.ts", "200 files each of the latest 10 runs"],
    ],
    MAX_FILES: ["files of a run that MCP lists", "the rest is read by the template", ["mcp/reading-bounds.test.ts", "200 files each"]],
    MAX_BYTES: ["bytes of an MCP resource", "it is read over HTTP", ["mcp/reading-bounds.test.ts", "a resource over 4 MiB"]],
  },
  "mcp/question-form.ts": {
    MAX_LENGTH: [
      "characters of a form that an MCP client shows",
      "the question is answered elsewhere",
      ["limits/answer-bounds.test.ts", "a form over MCP has 20,000 characters"],
    ],
  },
  "mcp/tool-names.ts": {
    MAX_LENGTH: [
      "characters of a tool's name over MCP",
      "the name ends in a short hash",
      ["limits/core-bounds.test.ts", "the name of a flow over MCP"],
    ],
  },
  "mcp/signed-state.ts": {
    SESSION_DAYS: ["days of an MCP session", "the session is unknown", ["limits/run-bounds.test.ts", "an MCP session lasts for 7 days"]],
    STATE_DAYS: ["days of a signed state", "the state is refused", ["limits/run-bounds.test.ts", "an MCP session lasts for 7 days"]],
  },
  "engine/run/run-frames.ts": {
    SLOWEST_PAUSE: ["milliseconds between two looks at a run", "the next look"],
    BREAKS: [
      "breaks in a row of an MCP call's stream",
      "the call ends with an error",
      ["limits/run-bounds.test.ts", "an MCP call's stream gives up"],
    ],
  },
  "models/ai-sdk.ts": {
    MAX_CHARS: ["characters of a streamed reply", "the call fails: the reply is dropped", [AISDK, "an endless stream of %s is canceled"]],
    MAX_MODEL_CHARS: [
      "characters of the name by which a provider calls its model",
      "the rest is cut",
      ["contract/model-ai-sdk.test.ts", "the model that answered is named as the provider names it"],
    ],
  },
  "models/failure.ts": {
    MAX_DETAIL: ["characters of a provider's fault", "the rest is cut", [AISDK, "an endless page costs no more than its start"]],
    MAX_NAME: [
      "characters of the name of a provider behind a gateway",
      "the rest is cut",
      ["contract/model-refusals.test.ts", "is told with the words of the provider behind it"],
    ],
    MAX_PAGE: [
      "characters read of a provider's error page",
      "the rest is not read",
      [AISDK, "an endless page costs no more than its start"],
    ],
  },
  "models/kept-models.ts": {
    MOST_MODELS: [
      "models that are kept made for one provider's settings",
      "they are made anew",
      ["contract/kept-models.test.ts", "as many models as agents name"],
    ],
  },
  "models/mended-events.ts": {
    MAX_EVENT_CHARS: [
      "characters of one event of a provider's stream",
      "the call fails",
      ["contract/model-usage.test.ts", "an event without an end is given up"],
    ],
  },
  "models/no-stream.ts": {
    MAX_READ: [
      "bytes read of a provider's answer that is no stream",
      "the rest is not read",
      ["contract/model-odd-streams.test.ts", "an endless page with status 200 is read no further than its start"],
    ],
  },
  "models/patience.ts": {
    USUAL_SILENCE_MS: [
      "milliseconds that a provider may be silent, unless its `silenceSeconds` says otherwise",
      "the connection counts as lost",
      ["contract/model-silence.test.ts", "comments, pings and empty pieces are silence"],
    ],
    MAX_CALL_MS: [
      "milliseconds of one call of a model",
      "the connection counts as lost",
      ["contract/model-silence.test.ts", "whoever goes on saying something is not silent, until the longest call is over"],
    ],
  },
  "models/stream-bytes.ts": {
    MAX_STREAM_BYTES: [
      "bytes of a provider's stream, comments included",
      "the call fails, and is not tried again",
      ["contract/model-silence.test.ts", "a stream of comments has an end in bytes"],
    ],
  },
  "models/stream-marks.ts": {
    GRACE_MS: [
      "milliseconds that a whole reply waits for what may follow",
      "the reply counts without it",
      ["contract/model-silence.test.ts", "a reply ends at its end mark"],
    ],
  },
  "models/pattern.ts": {
    MAX_TIMES: [
      "repetitions of a pattern in a rehearsed text",
      "no more are written",
      ["limits/answer-bounds.test.ts", "a rehearsed text repeats a part"],
    ],
  },
  "models/chat-extras.ts": {
    MAX_STATE_CHARS: [
      "characters that a provider wants back with a reply",
      "nothing is kept of them, and the session goes on",
      ["contract/model-state.test.ts", "more than is kept"],
    ],
  },
  "models/sample.ts": {
    MAX_DEPTH: [
      "levels of a rehearsed value",
      "deeper values are empty",
      ["limits/core-bounds.test.ts", "a rehearsed value has at most 8 levels"],
    ],
  },
  "models/tool-schemas.ts": {
    MAX_DESCRIPTION: [
      "characters of a tool's description in a request",
      "it goes on in the description of the parameters",
      ["contract/tool-schemas.test.ts", "a description of more than 1,024 characters"],
    ],
    MAX_REFS: [
      "references that are followed to a tool's parameters",
      "the rest is an object of any kind",
      ["contract/tool-schemas.test.ts", "one that goes around ends"],
    ],
  },
  "models/tool-names.ts": {
    MAX_LENGTH: [
      "characters of a tool's name at a provider",
      "the name is cut and ends in a hash",
      ["contract/tool-names.test.ts", "a long name is cut"],
    ],
  },
  "ports/tenant/callbacks.ts": {
    MOST_PUSHES: ["push configurations of a task", "400", ["worker/tenant/triggers/push-store.test.ts", "an eleventh is refused"]],
    MOST_CALLBACKS: ["receivers of a tenant", "409 `too_many_callbacks`", ["http/triggers/callbacks.test.ts", "too_many_callbacks"]],
  },
  "ports/tenant/drafts.ts": {
    MAX_DRAFTS: [
      "drafts of a tenant's catalog",
      "409 `too_many_drafts`",
      ["engine/catalog/catalog-drafts.test.ts", "a tenant has a bounded number"],
    ],
    DRAFT_KEPT_MS: [
      "how long a draft stays after its last writing",
      "a start with its name is 404",
      ["engine/catalog/catalog-drafts.test.ts", "12 hours after its last writing"],
    ],
  },
  "ports/tenant/hooks.ts": {
    MOST_HOOKS: ["hooks of a tenant", "409 `too_many_hooks`", ["worker/tenant/counts.test.ts", "a tenant has at most so many"]],
    KEPT_REFUSALS: [
      "refused deliveries kept of a hook",
      "the oldest is forgotten",
      ["worker/tenant/triggers/hooks.test.ts", "for the last hundred"],
    ],
    KEPT_FILTERED: [
      "filtered deliveries of a hook that can be redelivered",
      "409 `not_redeliverable`",
      ["cloudflare/tenant/triggers/deliveries.test.ts", "kept for the newest fifty"],
    ],
    FILTERED_CHARS: [
      "characters of a filtered delivery that can be redelivered",
      "409 `not_redeliverable`",
      ["cloudflare/tenant/triggers/deliveries.test.ts", "kept for the newest fifty"],
    ],
    KEPT_DELIVERIES: ["other deliveries kept of a hook", "the oldest is forgotten"],
    DELIVERY_DAYS: ["days that a delivery is kept", "it is forgotten"],
  },
  "ports/tenant/tool-catalog.ts": {
    MAX_TOOLS: [
      "registered tools of a tenant, with those of its MCP servers",
      "422",
      ["engine/net/mcp-servers.test.ts", "50 servers and 1,000 tools"],
    ],
    MAX_TOOL_CHARS: [
      "characters of all registered tools",
      "422",
      ["limits/run-bounds.test.ts", "a tenant's registered tools have 4 million"],
    ],
  },
  "ports/tenant/schedules.ts": {
    MOST_SCHEDULES: [
      "schedules of a tenant",
      "409 `too_many_schedules`",
      ["http/triggers/schedules.test.ts", "has a maximum number per tenant"],
    ],
  },
  "ports/secrets.ts": {
    VAULT_SIZE: ["characters of all secrets of a tenant", "422", ["worker/tenant/secrets.test.ts", "the size of the vault is limited"]],
    MOST_SCOPES: ["scopes of a tenant's vault", "422", ["worker/tenant/counts.test.ts", "a tenant has at most so many"]],
  },
  "ports/tenant/sign-ins.ts": {
    SESSION_MS: ["milliseconds of a session", "its person signs in again", ["http/settings/sign-in.test.ts", "for 12 hours"]],
  },
  "ports/tenant/tenants.ts": { MOST_KEYS: ["keys of a tenant", "409 `too_many_keys`", ["http/settings/keys.test.ts", "too_many_keys"]] },
  "ports/workspace.ts": {
    MAX_FILE_BYTES: [
      "bytes of a file of a workspace",
      "the tool fails, and nothing is written",
      ["contract/workspace.ts", "a file larger than 10 MiB is refused"],
    ],
  },
  "client/feed.ts": {
    SILENT_MS: [
      "milliseconds that the tenant's stream may be silent before the client takes it for dead",
      "it connects again, after the last event",
      ["client/feed.test.ts", "silent for 45 seconds"],
    ],
  },
  "client/follow.ts": {
    MAX_FAILURES: [
      "failures in a row of a followed run",
      "the iterator throws",
      ["limits/run-bounds.test.ts", "the client gives up after eleven"],
    ],
  },
  "client/transport.ts": {
    MAX_WAIT_MS: ["milliseconds that the client waits before it tries again", "it tries then", ["client/transport.test.ts", "Retry-After"]],
  },
  "tools/agents/call-agent.ts": {
    LONGEST: [
      "milliseconds of a call of an agent",
      "the call fails, and its run is canceled",
      ["limits/tool-answers.test.ts", "%s ends after its longest time"],
    ],
  },
  "tools/agents/subagent.ts": {
    LONGEST: [
      "milliseconds that `subagent` waits",
      "it answers that the run continues",
      ["limits/tool-answers.test.ts", "%s ends after its longest time"],
    ],
  },
  "tools/data/catalog-data.ts": {
    MOST_ROWS: [
      "rows of an answer about data",
      "the answer says that there are more",
      ["limits/answer-bounds.test.ts", "a cell has 2,000 characters"],
    ],
    MOST_CELL: ["characters of a cell", "the rest is cut", ["limits/answer-bounds.test.ts", "a cell has 2,000 characters"]],
  },
  "tools/data/get-catalog-entities.ts": {
    MOST: ["entities of one call", "the call is refused: `invalid_args`", [SIZE, "each is bounded"]],
  },
  "tools/data/get-relation-paths.ts": {
    MOST_HOPS: ["relations of a path", "the call is refused: `invalid_args`", [SIZE, "each is bounded"]],
    MOST_PATHS: ["paths of an answer", "further ones are left out", ["limits/tool-answers.test.ts", "ten paths are shown"]],
    MOST_WAYS: [
      "ways that the walk keeps open",
      "the answer says that it may lack paths",
      ["limits/tool-answers.test.ts", "the walk keeps 2,000 ways"],
    ],
  },
  "tools/data/list-schema-fields.ts": {
    MOST_FIELDS: ["fields of an answer", "the answer says that there are more", ["limits/tool-answers.test.ts", "500 fields of an entity"]],
  },
  "tools/files/file-list.ts": {
    MOST: ["files of an answer", "the answer says that there are more", ["limits/tool-answers.test.ts", "file.list names 5,000 files"]],
  },
  "tools/files/grep.ts": {
    SHOWN_LINE: ["characters shown of a line", "the answer says how many more there are", [TOOLS, "more characters]"]],
    MOST_BYTES: [
      "bytes that one call searches",
      "the answer says that more was skipped",
      ["limits/tool-answers.test.ts", "one search reads 32 MiB"],
    ],
    MOST_EFFORT: [
      "steps of matching of one call",
      "the call fails: the pattern is too costly",
      ["limits/tool-answers.test.ts", "a pattern has 400,000 steps for a line"],
    ],
    MOST_EFFORT_LINE: [
      "steps of matching one line",
      "the call fails: the pattern is too costly",
      ["limits/tool-answers.test.ts", "a pattern has 400,000 steps for a line"],
    ],
  },
  "tools/files/read-output.ts": {
    MAX_OFFSET: ["first byte to read", "the call is refused: `invalid_args`", [SIZE, "each is bounded"]],
    MOST: ["bytes of a part of an output", "the call is refused: `invalid_args`", [TOOLS, "its own answer is never cut"]],
    MOST_LINES: ["lines of a part of an output", "the part ends there", [TOOLS, "its own answer is never cut"]],
  },
  "tools/objects/r2-ingest.ts": {
    MOST_CHARS: ["characters taken of a shared file", "the call is refused: `invalid_args`", [SIZE, "each is bounded"]],
  },
  "tools/objects/r2-sync.ts": {
    MOST_OBJECTS: ["shared files of one call", "the call is refused: `invalid_args`", [SIZE, "each is bounded"]],
  },
  "tools/plans/execute-plan.ts": {
    LONGEST: [
      "milliseconds of a plan's execution",
      "the tool fails; the outcome is unknown",
      ["limits/tool-answers.test.ts", "%s ends after its longest time"],
    ],
  },
  "tools/shell/bash-commands.ts": {
    MOST_LINES: ["lines of a text that `diff` compares", "the command fails, and says why", [BASH, "%s ends, and says why"]],
  },
  "tools/shell/skill-mount.ts": {
    MOST_FILES: [
      "files of skills that a command line sees",
      "further ones are not there",
      [SKILLS, "the shell sees 1,000 files of skills"],
    ],
    MOST_BYTES: [
      "bytes of skills that a command line sees",
      "further files are not there",
      [SKILLS, "the shell sees 1,000 files of skills"],
    ],
  },
  "http/tools/openapi-source.ts": {
    TIMEOUT: ["milliseconds to fetch a document", "422 at `/url`", [SOURCE, "an address that does not answer in time"]],
  },
  "tools/shell/bash-changes.ts": {
    MOST_BYTES: [
      "bytes that one command line writes",
      "the tool fails, and nothing is written",
      [BASH, "one call writes only a limited amount"],
    ],
    MOST_WRITTEN: [
      "files that one command line writes",
      "the tool fails, and nothing is written",
      [BASH, "one call writes only a limited amount"],
    ],
  },
  "tools/shell/bash-refusals.ts": {
    MOST_TOLD: ["paths told of what was not written", "further ones are counted"],
  },
  "tools/shell/bash.ts": {
    DETAILS_CHARS: [
      "characters of each stream in a result's details",
      "the rest is cut",
      ["limits/tool-answers.test.ts", "the details of a command have 12,000"],
    ],
  },
  "tools/shell/process.ts": {
    MOST_PAGE: ["bytes of a page of a process's output", "the call is refused: `invalid_args`", [SIZE, "each is bounded"]],
    MOST_LISTED: [
      "processes of an answer",
      "the answer says that there are more",
      ["limits/waits.test.ts", "process.list shows the newest hundred"],
    ],
  },
  "tools/shell/sandbox-files.ts": {
    MOST_IN: ["files that go into a sandbox", "they stay out, and the answer says so", [SANDBOX, "files that are too large or too many"]],
    MOST_BYTES_IN: [
      "bytes that go into a sandbox",
      "they stay out, and the answer says so",
      ["limits/tool-answers.test.ts", "a sandbox takes 128 MiB"],
    ],
    MOST_BACK: [
      "files that come back from a sandbox",
      "they stay in it, and the answer says so",
      [SANDBOX, "files that are too large or too many"],
    ],
    MOST_BYTES_BACK: [
      "bytes that come back from a sandbox",
      "they stay in it, and the answer says so",
      [SANDBOX, "files that are too large or too many"],
    ],
    MOST_TOLD: ["paths told of what stayed", "further ones are counted", [SANDBOX, "files that are too large or too many"]],
  },
  "tools/shell/sandbox-shell.ts": { MOST_OUTPUT: ["bytes kept of each stream of a command", "the start is dropped"] },
  "tools/shell/shell-meter.ts": {
    MOST_STEPS: [
      "steps of one command line",
      "it ends, and says why",
      ["limits/tool-answers.test.ts", "a command line has two billion steps"],
    ],
    STRETCH_STEPS: [
      "steps that a command computes without a rest",
      "the script ends, and says why",
      [ATTACKS, "what takes too long at one go"],
    ],
    LATE: ["looks of a command line that is over", "it is ended where it is", [ATTACKS, "computes no more once its time is up"]],
  },
  "tools/web/html-markdown.ts": {
    MOST_EMPTY: [
      "empty cells that a table is filled up with",
      "its short rows stay short",
      ["tools/web/html-size.test.ts", "one long row among short ones"],
    ],
  },
  "tools/web/html-tree.ts": {
    MOST_DEPTH: ["levels of a page's elements", "deeper ones are flattened", [PAGE, "endlessly nested markup is still read"]],
    MOST_OPEN: ["open tags of a page", "further ones are not opened", [PAGE, "endlessly nested markup is still read"]],
    MOST_NESTED: ["levels of lists and quotes", "deeper ones are flattened", [PAGE, "endlessly nested markup is still read"]],
  },
  "tools/web/web-fetch.ts": {
    MOST_HTML: ["characters read of a page", "the rest is not read", ["limits/tool-answers.test.ts", "two million characters of a page"]],
  },
}
