// Bounds of src/engine: the catalog, imports, calls to the outside, runs.

import type { LimitTable } from "./limit.ts"

const HISTORY = "engine/catalog/catalog-history.test.ts"
const APPLY = "engine/catalog/catalog-apply.test.ts"
const CONFIG = "engine/catalog/config/config-value.test.ts"
const TOOL_FILE = "engine/catalog/config/tool-file.test.ts"
const STAGING = "engine/catalog/staging/staging.test.ts"
const BROWSER = "engine/browser/browser.test.ts"
const IMPORT = "engine/import/import.test.ts"
const DIALECTS = "engine/import/dialects.test.ts"
const CLIENT = "engine/net/mcp-client.test.ts"
const FLOOD = "engine/net/mcp-flood.test.ts"
const CONNECT = "engine/net/mcp-connect.test.ts"
const RESUME = "engine/net/mcp-resume.test.ts"
const OUTCOME = "engine/run/call/tool-outcome.test.ts"
const GATED = "engine/trial/gated-write.test.ts"
const RECORD = "engine/trial/record-case.test.ts"
const TRIAL = "engine/trial/run-tests.test.ts"
const STORY = "engine/repair/story.test.ts"
const REPLY = "engine/run/session/reply-size.test.ts"

const TRY = "engine/run/session/try-turn.test.ts"
const DIFF = "engine/run/file-diff.test.ts"
const PROMPT = "engine/run/session/prompt-view.test.ts"

export const ENGINE: LimitTable = {
  "engine/run/prompt-view.ts": {
    MAX_TURNS_SHOWN: ["turns of a conversation that a prompt shows", "earlier ones are one row", [PROMPT, "long conversation"]],
    MAX_LAYER_CHARS: ["characters of one layer that a prompt shows", "the rest is cut, and `cut` says so", [PROMPT, "is cut"]],
  },
  "engine/run/file-diff.ts": {
    MAX_TEXT_BYTES: ["bytes of a text that a diff compares by lines", "its lines are left out, and `cut` says so", [DIFF, "too large"]],
    MAX_READ_BYTES: [
      "bytes of all files that one answer of a diff reads",
      "the lines of further ones are left out",
      [DIFF, "four megabytes"],
    ],
    MAX_DIFF_CHARS: ["characters of the lines of one file in a diff", "the rest is cut", [DIFF, "cut at the end of a line"]],
    MAX_COMPARISONS: [
      "comparisons of lines in one answer of a diff",
      "the lines of further files are left out",
      [DIFF, "comparisons are used up"],
    ],
  },
  "engine/repair/story.ts": {
    MAX_DEPTH: ["runs of a repair's story, from the failed one down", "the story ends there", [STORY, "goes on in the child that failed"]],
    MAX_STORY: ["characters of a repair's story", "its middle is left out", [STORY, "a long story keeps its beginning and its end"]],
  },
  "engine/trial/gated-write.ts": {
    MAX_TRIES: ["times that a write is tested while the catalog changes", "409 `catalog_moved`", [GATED, "a catalog that keeps changing"]],
  },
  "engine/trial/record-case.ts": {
    MAX_CHILDREN: ["children of a run that becomes a case", "422 with the reason", [RECORD, "or has more than 500 children"]],
    MAX_TRIES: ["times that a new case is tried", "422 with the reason", [RECORD, "whose outcome is another each time"]],
  },
  "engine/trial/run-case.ts": {
    MAX_CHILDREN: [
      "children of a case's run that are looked through for questions",
      "others are not answered",
      [TRIAL, "at most 500 children"],
    ],
  },
  "engine/trial/run-tests.ts": {
    TESTS_MS: ["milliseconds for the cases of a flow's tests", "the case fails", [TRIAL, "a case that is not over in 60 s fails"]],
  },
  "engine/at-once.ts": {
    CONNECTIONS: [
      "outgoing connections of an object",
      "the next waits",
      ["engine/catalog/catalog-ground.test.ts", "concurrency is limited"],
    ],
  },
  "engine/browser/page-watch.ts": {
    MAX_NOTE_CHARS: [
      "characters of a note about a page",
      "a longer one is left out",
      ["tools/browser/browser-tools.test.ts", "a note of megabytes is left out"],
    ],
    MAX_NOTES: ["notes about a page", "further ones are left out", [BROWSER, "a page's requests use bounded memory"]],
  },
  "engine/browser/page.ts": {
    MAX_HEIGHT: [
      "pixels of a picture's height",
      "the picture ends there",
      ["limits/waits.test.ts", "a picture of a page has 8,000 pixels"],
    ],
    MAX_CHARS: ["characters read of a page", "the rest is not read", ["limits/waits.test.ts", "a picture of a page has 8,000 pixels"]],
  },
  "engine/browser/request-gate.ts": {
    MAX_BYTES: ["bytes of a document of a page", "the document fails", [BROWSER, "a document over 8 MiB fails"]],
    MAX_NOTES: ["notes about a page's requests", "further ones are left out", [BROWSER, "a page's requests use bounded memory"]],
    MAX_NOTE_CHARS: ["characters of a note", "the rest is cut", [BROWSER, "a page's requests use bounded memory"]],
    MAX_KEPT: ["requests remembered of a page", "the oldest is forgotten", [BROWSER, "a page's requests use bounded memory"]],
  },
  "engine/browser/session-browsers.ts": {
    IDLE_MS: ["milliseconds that a browser may be idle", "it is closed", ["engine/browser/browser.test.ts", "an idle browser is closed"]],
  },
  "engine/catalog/architect-task.ts": {
    MAX_SHOWN: [
      "characters of all texts in an architect's task",
      "further files are named only",
      ["limits/answer-bounds.test.ts", "an architect's task quotes 200,000 characters"],
    ],
  },
  "engine/catalog/catalog-uses.ts": {
    MAX_USES: [
      "names of what uses a definition, in a refusal to remove it",
      "further ones are not told",
      ["worker/tenant/catalog/in-use.test.ts", "of many steps 50 are listed"],
    ],
  },
  "engine/catalog/config/config-kinds.ts": {
    MOST_FAULTS: ["faults told of a file that configures the tenant", "further ones are not told", [CONFIG, "of many faults 100 are told"]],
  },
  "engine/catalog/config/tool-file.ts": {
    MOST_FAULTS: [
      "faults told of a file of tools",
      "further ones are not told",
      [TOOL_FILE, "of many faults 100 are told, and of what a document leaves out 50"],
    ],
    MOST_NOTES: [
      "operations of a file's document that are told to make no tool",
      "further ones are not told",
      [TOOL_FILE, "of what a document leaves out 50"],
    ],
  },
  "engine/catalog/catalog-breaks.ts": {
    MAX_BREAKS: [
      "hooks, schedules and flows that an apply is said to break",
      "further ones are not told",
      [APPLY, "of many breaks 1,000 are listed"],
    ],
  },
  "engine/catalog/catalog-drafts.ts": {
    MAX_VIEWS: [
      "drafts whose catalogs a tenant's object keeps in memory",
      "the one used longest ago is read again at its next start",
      ["engine/catalog/catalog-drafts.test.ts", "keeps three in memory"],
    ],
  },
  "engine/catalog/catalog-drift.ts": {
    MAX_DRIFT_REVISIONS: [
      "revisions since the last apply that a plan looks at",
      "`more: true`",
      [APPLY, "drift of more than 1,000 revisions"],
    ],
    MAX_DRIFT: ["files of drift that a plan lists", "`more: true`", [APPLY, "more than 2,000 changed files are cut"]],
  },
  "engine/catalog/catalog-diagnostics.ts": {
    MAX_FILES: [
      "files of a bundle, a catalog, a package",
      "`CAT-MANY`: nothing is written",
      ["engine/catalog/catalog.test.ts", "at most 5,000 files fit"],
    ],
    MOST_LISTED: [
      "diagnostics of one answer",
      "`CAT-MORE` counts the rest",
      ["engine/catalog/catalog-size.test.ts", "of all files 1,000 problems are shown"],
    ],
    MAX_PACKAGES: ["packages of a tenant", "`CAT-MANY`: nothing is written", ["engine/catalog/catalog.test.ts", "at most 5,000 files fit"]],
  },
  "engine/catalog/catalog-history.ts": {
    MAX_CHANGES: ["changed paths of a page of revisions", "the next page has the rest", [HISTORY, "the changes of a page are limited"]],
    MAX_PATHS: ["paths of a comparison", "the answer says that there are more", [HISTORY, "an answer is limited"]],
    MAX_READ: ["characters read for a comparison", "further rows have hashes but no hunks", [HISTORY, "an answer is limited"]],
    MAX_SHOWN: ["characters of hunks of a comparison", "further rows have hashes but no hunks", [HISTORY, "an answer is limited"]],
    MAX_STEPS: ["steps of a comparison", "further rows have hashes but no hunks", [HISTORY, "an answer is limited"]],
  },
  "engine/catalog/pin/pin-flow.ts": {
    MAX_FLOWS: ["child flows of one run", "422 `unsupported`", ["limits/run-bounds.test.ts", "a run leads to 100 other flows at most"]],
  },
  "engine/catalog/staging/staging-shown.ts": { MAX_STEPS: ["steps of comparing a session's files", "further files have no hunks"] },
  "engine/catalog/staging/staging.ts": {
    MAX_FILES: ["files of an architect's session", "the file is refused", [STAGING, "a session holds 50 files and 1 MiB"]],
    MAX_BYTES: ["bytes of an architect's session", "the file is refused", [STAGING, "a session holds 50 files and 1 MiB"]],
    MAX_SESSIONS: ["open sessions of a tenant's architect", "409 `too_many_sessions`", [STAGING, "100 may be open"]],
    KEPT_MS: ["milliseconds since a session's last change", "it is forgotten", [STAGING, "30 days after its last change"]],
    MAX_DIFF: ["characters of hunks of a session", "further files have no hunks"],
  },
  "engine/code/handler-source.ts": {
    MAX_TOKENS: ["tokens of a handler", "`CV-LIMIT`: the file is not written", ["limits/core-bounds.test.ts", "a handler has at most"]],
    MAX_NAMES: ["names of a handler", "`CV-LIMIT`: the file is not written", ["limits/core-bounds.test.ts", "a handler has at most"]],
  },
  "engine/dialects/normalize-schema.ts": {
    MAX_CHARS: [
      "characters of a schema with its references inlined",
      "the schema is refused",
      ["limits/core-bounds.test.ts", "the schema of a foreign tool"],
    ],
    MAX_DEPTH: ["levels of an inlined schema", "the schema is refused", ["limits/core-bounds.test.ts", "the schema of a foreign tool"]],
  },
  "engine/import/loose-head.ts": {
    MAX_FENCE: [
      "characters of the line that closes a file's head",
      "it closes nothing",
      ["limits/run-bounds.test.ts", "a fence has 200 characters"],
    ],
  },
  "engine/import/power-lines.ts": {
    MOST_LINES: [
      "lines about tools in an agent file whose head is not valid YAML",
      "the agent gets no tools, and the report says so",
      ["engine/import/powers.test.ts", "of more than forty lines none is believed"],
    ],
  },
  "engine/import/sort-files.ts": {
    MAX_FILE_BYTES: [
      "bytes of a file of an import",
      "the file is left out, with the reason",
      [DIALECTS, "a skill keeps a file of two megabytes"],
    ],
    MOST_PARSED: [
      "characters of YAML and code of an import, and 512 for each file",
      "the files after it are left out, with the reason",
      [IMPORT, "[H3] %s"],
    ],
  },
  "engine/import/tar.ts": {
    MAX_NAME: ["bytes of a name in a tar archive", "the name is ignored", ["limits/run-bounds.test.ts", "a name in an archive has 8,192"]],
  },
  "engine/import/zip.ts": {
    MOST_FILES: ["files of an import", "422 at `/files`", [IMPORT, "more than 5,000 files are not read"]],
    MOST_BYTES: ["bytes of an unpacked archive", "422: nothing is read", [IMPORT, "a zip bomb is stopped at 10 MiB"]],
    MOST_ENTRIES: ["entries of an archive", "422: nothing is read", [IMPORT, "more than 5,000 files are not read"]],
  },
  "engine/net/callback-address.ts": {
    MAX_LENGTH: ["characters of a receiver's address", "422 at `/url`", ["limits/core-bounds.test.ts", "a receiver's address has at most"]],
  },
  "engine/net/mcp-call.ts": {
    MAX_BUSY: [
      "times that a busy MCP server is called again for one call",
      "the call fails",
      ["engine/run/elicitation.test.ts", "a server that is busy is called again, twenty times at most"],
    ],
  },
  "engine/net/mcp-look.ts": {
    MAX_METADATA: ["bytes of a protected resource's metadata", "it is passed over", [CONNECT, "only where its metadata is"]],
    PATIENCE: [
      "milliseconds of a server's list",
      "`mcp_unreachable`",
      ["engine/net/mcp-servers.test.ts", "a server that does not respond is given up"],
    ],
  },
  "engine/net/mcp-authorize.ts": {
    MAX_MESSAGE: [
      "characters of what an authorization server says about a fault",
      "the rest is cut",
      [CONNECT, "does not show what was sent"],
    ],
  },
  "engine/net/mcp-connections.ts": {
    PATIENCE: [
      "milliseconds of a conversation with an authorization server",
      "`mcp_unreachable`",
      [CONNECT, "an issuer that never answers is given up"],
    ],
  },
  "engine/net/mcp-flood.ts": {
    MAX_BYTES: ["bytes of all answers to one list or call", "the call fails", [CLIENT, "an answer over the limit is an error"]],
    MAX_EVENTS: [
      "events that an MCP server sends during one list or call",
      "the call fails, with the reason",
      [FLOOD, "a flood of %s ends the call with the reason"],
    ],
    MAX_SENT: [
      "requests to an MCP server for one list or call, replies to its pings among them",
      "the call fails, with the reason",
      [FLOOD, "a flood of %s ends the call with the reason"],
    ],
    MAX_BATCH: [
      "bytes of a body with several messages of an MCP server",
      "the call fails, with the reason",
      [FLOOD, "messages beside an answer in one body"],
    ],
    MOST_VALUES: ["values of all answers to one list or call", "the call fails", [CLIENT, "an answer of more values or levels"]],
  },
  "engine/net/oauth-answer.ts": {
    MOST: ["characters of an authorization server's answer whose nulls are left out", "it is read as it is", [CONNECT, "writes null"]],
  },
  "engine/net/mcp-way.ts": {
    MAX_LISTENING: [
      "own streams of MCP servers that are open at once in an isolate",
      "a further server is not heard beside its answers",
      ["engine/run/elicitation.test.ts", "a server that asks on its own stream is heard"],
    ],
    MAX_RESUMES: ["times that a broken stream of one call is resumed", "the call fails", [RESUME, "one that never ends after two hundred"]],
    MAX_IDLE_RESUMES: ["the same, without a new event", "the call fails", [RESUME, "given up after five tries"]],
  },
  "engine/net/mcp-client.ts": {
    MAX_PAGES: ["pages of a server's list", "the list fails", [CLIENT, "a list without end is an error"]],
    MAX_MESSAGE: ["characters of a server's message", "the rest is cut", [CLIENT, "a failing server is reported with its status"]],
  },
  "engine/net/mcp-servers.ts": {
    MAX_SERVERS: ["MCP servers of a tenant", "422", ["engine/net/mcp-servers.test.ts", "a tenant has at most 50 servers"]],
  },
  "engine/net/net.ts": {
    LARGE: [
      "bytes of an answer that is read without a place",
      "it waits for one of six places",
      ["engine/net/large-answer.test.ts", "a large one asks once"],
    ],
    MAX_BYTES: [
      "bytes of a fetched body",
      "the tool fails",
      ["local/ssrf.test.ts", "exceeding the byte limit or the time limit is an error"],
    ],
    TIMEOUT: [
      "milliseconds of a fetch",
      "the tool fails",
      ["local/ssrf.test.ts", "exceeding the byte limit or the time limit is an error"],
    ],
  },
  "engine/net/otlp.ts": {
    SPANS_AT_ONCE: ["spans of a request", "the next request has the rest"],
    PATIENCE_MS: [
      "milliseconds of an export",
      "it is tried again",
      ["worker/run/telemetry.test.ts", "after six tries the export gives up"],
    ],
  },
  "engine/run/try-turn.ts": {
    PATIENCE_MS: ["milliseconds of the answer of a turn that is tried", "502 `model_failed`", [TRY, "PATIENCE_MS"]],
    MAX_START_CHARS: [
      "characters that are shown of a tried reply that is too large",
      "the rest is cut; the turn ends as `length`",
      [TRY, "MAX_START_CHARS"],
    ],
    MAX_WHY_CHARS: ["characters of why a turn cannot be tried", "the rest is cut", [TRY, "MAX_WHY_CHARS"]],
  },
  "engine/run/collect.ts": {
    FILE_CHARS: [
      "characters of the file of a map's results",
      "its lines name the children's runs",
      ["limits/run-bounds.test.ts", "after 8 MiB the lines of a map's file"],
    ],
  },
  "engine/run/compact.ts": {
    MAX_CHARS: [
      "characters of a request for a summary",
      "the middle is left out",
      ["limits/run-bounds.test.ts", "a request for a summary has 240,000"],
    ],
    BEGINNING_CHARS: [
      "characters kept of a message when no summary can be written",
      "the rest is left out",
      ["engine/run/session/compaction.test.ts", "the beginnings of what was said stand in for it, within their bounds"],
    ],
    MAX_BEGINNINGS: [
      "characters kept of all messages when no summary can be written",
      "older messages are left out",
      ["engine/run/session/compaction.test.ts", "the beginnings of what was said stand in for it, within their bounds"],
    ],
    MIN_CHARS: [
      "characters of the shortest notes that a summary is asked for",
      "no summary is asked for",
      ["engine/run/session/compaction.test.ts", "a summary that is itself too long is asked for with less"],
    ],
  },
  "engine/run/conduct/unsaved.ts": {
    MAX_EVENTS: ["events that wait for one commit", "they are stored", ["engine/run/holding.test.ts", "a long chain is stored in pieces"]],
    MAX_CHARS: [
      "characters of the events that wait for one commit",
      "they are stored",
      ["engine/run/holding.test.ts", "much text is not held back"],
    ],
  },
  "engine/run/conductor.ts": {
    HOLD_MS: [
      "milliseconds that a decision waits for its commit",
      "it is stored",
      ["engine/run/holding.test.ts", "what waits is stored after a moment"],
    ],
    HOLD_REPLY_MS: [
      "milliseconds that a model's reply waits for the commit of the tools it calls",
      "it is stored",
      ["engine/run/holding.test.ts", "waits a tenth of a second for a tool that takes longer"],
    ],
  },
  "engine/run/decision.ts": {
    MAX_EFFECTS: [
      "effects of a run under way",
      "the next begins when there is room",
      ["engine/run/conductor.test.ts", "a run of this width has as many effects under way"],
    ],
    OWN_EFFECTS: [
      "effects under way of a run whose start names no width",
      "the next begins when there is room",
      ["engine/run/conductor.test.ts", "at most six effects are under way"],
    ],
    MAX_RECORDS: ["records for one signal", "the run fails with source `engine`"],
  },
  "engine/run/call/execute-tool.ts": {
    DEFAULT_TIMEOUT: [
      "milliseconds of a tool without a timeout of its own",
      "the tool fails",
      ["limits/tool-answers.test.ts", "%s ends after its longest time"],
    ],
    MAX_TIMEOUT: [
      "milliseconds that an argument `timeout` may ask for",
      "it counts as so many",
      ["limits/tool-answers.test.ts", "%s ends after its longest time"],
    ],
  },
  "engine/run/call/call-model.ts": {
    MAX_START_CHARS: [
      "characters kept of a reply that is too large",
      "the rest is cut, and the model is told",
      [REPLY, "its start is kept"],
    ],
    MAX_FAULT_CHARS: ["characters of a failed call's message", "the rest is cut", [REPLY, "the message of a failed call is cut"]],
  },
  "engine/run/call/run-tool.ts": {
    CLASHES: [
      "tries of a tool whose files changed meanwhile",
      "the model is told",
      ["limits/waits.test.ts", "a tool whose file changes meanwhile runs three times"],
    ],
  },
  "engine/run/plans.ts": {
    MAX_HYDRATED: [
      "characters of all values of a plan's references",
      "the plan is not sent",
      ["limits/run-bounds.test.ts", "the values of a plan's references have 16 MiB"],
    ],
  },
  "engine/run/projections.ts": { MAX_PLACES: ["remembered places of a format", "the oldest is forgotten"] },
  "engine/run/call/run-code.ts": {
    DEFAULT_TIMEOUT_MS: ["milliseconds of a handler without a timeout of its own", "the step fails: `code_timeout`"],
  },
  "engine/net/span-batch.ts": {
    MAX_CHARS: [
      "characters of what was said in a request of spans",
      "the next request has the rest",
      ["engine/net/span-batch.test.ts", "hold so many characters"],
    ],
  },
  "engine/run/read-session.ts": {
    AT_ONCE: [
      "parts of a session's conversation that are read at once",
      "the others wait",
      ["engine/run/session/read-session.test.ts", "over many parts"],
    ],
    PAGE_CHARS: [
      "characters of a page of a session's conversation",
      "the page ends, and its cursor continues",
      ["engine/run/session/read-session.test.ts", "ends with the message that reaches its size"],
    ],
  },
  "engine/run/sticky-session.ts": {
    HANDOVER_MS: ["milliseconds that a step waits for its run's session", "the step fails: the session is busy"],
    SAVING_MS: ["milliseconds that a run waits for a session that is being saved", "the step fails: the session is busy"],
  },
  "engine/run/provider-state.ts": {
    MAX_STATE_BYTES: [
      "bytes that a provider wants back with a reply",
      "they are not kept, and the session goes on",
      ["engine/run/session/provider-state.test.ts", "beyond its bound it is not kept"],
    ],
  },
  "engine/run/pdf-pages.ts": {
    MAX_UNPACKED: [
      "bytes that are unpacked to count the pages of a PDF",
      "its pages are guessed from its size",
      ["engine/run/session/attach-files.test.ts", "a bomb"],
    ],
    MAX_STREAMS: [
      "packed streams that are searched for the pages of a PDF",
      "pages in further ones are not counted",
      ["engine/run/session/attach-files.test.ts", "a bomb"],
    ],
  },
  "engine/run/carry-out.ts": {
    TRIES: [
      "tries to read the rules before an effect goes out",
      "the effect is `failed`, and nothing was sent",
      ["engine/run/effects.test.ts", "nothing goes out while the secrets cannot be read"],
    ],
  },
  "engine/run/call/tool-outcome.ts": {
    MAX_DETAILS_BYTES: [
      "bytes of a result's details",
      "they are left out, with their size",
      ["engine/run/call/execute-tool.test.ts", "details that are too large for the journal's row"],
    ],
    MAX_IMAGE_CHARS: ["base64 characters of an image", "a sentence replaces it", [OUTCOME, "one that is too large is left out"]],
    MAX_IMAGES_CHARS: [
      "base64 characters of a result's images",
      "a sentence replaces it",
      [OUTCOME, "those that together pass 524,288 characters"],
    ],
    MAX_PARTS: ["parts of a result", "the tool fails", [OUTCOME, "more than 1,000 parts are a failed call"]],
    MAX_MEDIA_TYPE: ["characters of an image's media type", "the tool fails", [OUTCOME, "a media type of more than 200 characters"]],
  },
  "engine/time/cron.ts": {
    MAX_LENGTH: ["characters of a cron expression", "422 at `/cron`", ["limits/core-bounds.test.ts", "a cron expression"]],
  },
  "engine/time/zone.ts": { MAX_FORMATS: ["time zones in memory", "the cache is emptied"] },
  "engine/webhook/verify.ts": {
    TOLERANCE_S: [
      "seconds between a delivery's time and ours",
      "401 `unproven`",
      ["engine/webhook/webhook-verify.test.ts", "five minutes either way are the limit"],
    ],
    MAX_SIGNATURES: [
      "signatures of a delivery that are tried",
      "further ones prove nothing",
      ["limits/answer-bounds.test.ts", "the first eight are tried"],
    ],
  },
}
