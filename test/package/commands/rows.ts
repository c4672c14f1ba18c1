// Every command of `sluice` with what it is given and what its `--json` is: a shape of the API, or one of the command's own.

import { z } from "zod"
import { SHAPES } from "../../../src/api/doc/api.doc.ts"

/** What earlier commands have made, by a word. */
export type Known = Readonly<Record<string, string>>

export interface Row {
  readonly command: string
  readonly args?: (known: Known) => readonly string[]
  readonly input?: string
  /** `lines`: JSON Lines, each of the shape. `none`: its output is not JSON, with or without the option. */
  readonly form?: "lines" | "none"
  readonly shape: z.ZodType
  /** Exit codes other than 0 that are right here. */
  readonly code?: number
  /** Keeps something of the answer for later commands. */
  readonly keep?: Readonly<Record<string, (answer: Json) => unknown>>
}
type Json = Readonly<Record<string, unknown>> & { readonly data?: readonly Readonly<Record<string, unknown>>[] }

const api = (name: string): z.ZodType => {
  const shape = SHAPES[name]
  if (shape === undefined) throw new Error(`the API has no shape ${name}`)
  return shape
}
const own = (shape: z.ZodRawShape): z.ZodType => z.object(shape)
const text = z.string()
const texts = z.array(text)
const page = (name: string): z.ZodType => own({ data: z.array(api(name)) })
const files = own({ data: z.array(api("CatalogFile")), revision: z.number() })
const REMOVED = own({ removed: text })
const PLAN = api("CatalogPlan") as z.ZodObject
const HANDLER = z.strictObject({ path: text, files: texts, packages: texts, bytes: z.number(), hash: text })
const PLANNED = PLAN.extend({
  url: text,
  mode: z.enum(["merge", "replace"]),
  project: text.nullable(),
  kept: texts,
  diffs: z.record(text, text),
  handlers: z.array(HANDLER),
  environment: z.strictObject({ name: text, differs: z.array(z.any()) }).nullable(),
})
const SCORE = (api("RunScores") as z.ZodObject<{ scores: z.ZodArray<z.ZodObject> }>).shape.scores.element
const ASKED = (api("ScoresAsked") as z.ZodObject<{ data: z.ZodArray<z.ZodObject> }>).shape.data.element
const VERDICT = own({ valid: z.boolean(), diagnostics: z.array((api("Diagnostic") as z.ZodObject).extend({ path: text })) })
const TEXT = z.string()

const definitions = (group: string, kind: string, id: string, file: string): readonly Row[] => [
  { command: `${group} list`, shape: files },
  { command: `${group} show`, args: () => [id], shape: own({ kind: z.literal(kind), id: text, content: text }) },
  { command: `${group} put`, args: () => [id, file], shape: api("Written") },
  { command: `${group} delete`, args: () => [id, "--force"], shape: REMOVED },
]

/** In this order: each finds what those before have made. */
export const ROWS: readonly Row[] = [
  { command: "init", args: () => ["demo"], shape: own({ folder: text, template: text, written: texts, kept: texts }) },
  { command: "docs", args: () => ["hook"], shape: own({ id: text, title: text, content: text }) },
  { command: "docs", shape: own({ pages: z.array(z.strictObject({ id: text, title: text })) }) },
  { command: "docs", args: () => ["retry"], shape: own({ found: z.array(z.strictObject({ page: text, heading: text, line: text })) }) },
  { command: "types", shape: own({ file: text, changed: z.boolean() }) },
  { command: "schema", shape: own({ written: texts }) },
  { command: "validate", shape: VERDICT },
  { command: "plan", shape: PLANNED },
  { command: "apply", shape: PLANNED.extend({ revision: z.number().nullable() }) },
  { command: "test", shape: own({ passed: z.number(), failed: z.number(), data: z.array(api("TestReport")) }) },
  { command: "import", args: () => ["."], shape: api("ImportReport") },
  { command: "deploy", args: () => ["--dry-run"], shape: own({ missing: texts, unchecked: texts, calls: texts }) },
  {
    command: "run",
    args: () => ["hello", "--rehearse", "--task", "Greet Ada."],
    form: "lines",
    shape: api("Event"),
    keep: { run: ({ run, id }) => run ?? id },
  },
  {
    command: "run",
    args: () => ["hello", "--rehearse", "--task", "Greet Ada.", "--detach"],
    shape: api("Started"),
    keep: { other: ({ id }) => id },
  },
  { command: "runs", shape: page("RunRow"), keep: { run: ({ data = [] }) => data.at(-1)?.["id"] } },
  { command: "starts", shape: page("Start") },
  { command: "pace", shape: api("PacingNow") },
  { command: "watch", args: ({ other = "" }) => [other], form: "lines", shape: api("Event") },
  { command: "show", args: ({ run = "" }) => [run], shape: api("RunView") },
  { command: "logs", args: ({ run = "" }) => [run], form: "lines", shape: api("Event") },
  { command: "compare", args: ({ run = "", other = "" }) => [run, other], shape: api("Comparison") },
  { command: "effects", args: ({ run = "" }) => [run], shape: page("Effect") },
  { command: "files", args: ({ run = "" }) => [run], shape: page("FileRow") },
  { command: "receipt", args: ({ run = "" }) => [run], form: "none", shape: TEXT },
  { command: "verify", args: () => ["receipt.jsonl"], shape: own({ valid: z.boolean(), line: z.number().nullable(), failed: z.any() }) },
  { command: "fork", args: ({ run = "" }) => [run, "--check"], shape: api("Forked") },
  { command: "fork", args: ({ run = "" }) => [run, "--wish", '{"from": {"step": "greet"}}'], shape: api("Started") },
  { command: "again", args: ({ run = "" }) => [run], shape: api("Started") },
  { command: "backtest", args: () => ["hello", "--last", "1"], shape: api("Backtest") },
  { command: "run", args: () => ["long", "--task", "go", "--detach"], shape: api("Started"), keep: { long: ({ id }) => id } },
  { command: "signal", args: ({ long = "" }) => [long, "go", "{}"], shape: api("SignalAccepted") },
  { command: "pause", args: ({ long = "" }) => [long], shape: api("RunView") },
  { command: "resume", args: ({ long = "" }) => [long], shape: api("RunView") },
  { command: "cancel", args: ({ long = "" }) => [long], shape: api("RunView"), code: 0 },
  { command: "bulk cancel", args: () => ["--flow", "none*", "--check"], shape: api("BulkCheck") },
  { command: "bulk again", args: () => ["--flow", "none", "--yes"], shape: api("BulkBegun"), keep: { bulk: ({ id }) => id } },
  { command: "bulk fork", args: ({ run = "" }) => [run, "--from", "greet", "--check"], shape: api("BulkCheck") },
  { command: "bulk delete", args: () => ["--until", "30d", "--yes"], shape: api("BulkBegun") },
  { command: "datasets put", args: () => ["known", "long"], shape: api("Dataset") },
  { command: "datasets add", args: () => ["known", "--last", "3"], shape: api("RowsAdded") },
  {
    command: "experiment",
    args: () => ["hello", "--last", "1", "--variant", "recorded", "--scorer", "succeeded", "--check"],
    shape: api("ExperimentForecast"),
  },
  {
    command: "experiment",
    args: () => ["hello", "--last", "1", "--variant", "recorded", "--scorer", "succeeded"],
    shape: api("Experiment"),
  },
  { command: "scorers", shape: page("Scorer") },
  {
    command: "score",
    args: ({ run = "" }) => [run, "--scorer", "tools-worked"],
    shape: own({ data: z.array(SCORE.extend({ run: text })) }),
  },
  {
    command: "score",
    args: ({ run = "" }) => [run, "--scorer", "succeeded", "--detach"],
    shape: own({ data: z.array(ASKED.extend({ run: text })) }),
  },
  { command: "feedback", args: ({ run = "" }) => [run, "--down", "--comment", "No.", "--user", "u1"], shape: api("FeedbackGiven") },
  { command: "grade", args: ({ run = "" }) => [run, "--add", "--scorer", "succeeded"], shape: api("GradingAdded") },
  { command: "grade", shape: page("GradingEntry") },
  { command: "grade", args: ({ run = "" }) => [run, "--scorer", "succeeded", "--score", "1"], shape: api("FeedbackGiven") },
  { command: "grade", args: ({ run = "" }) => [run, "--scorer", "succeeded", "--skip"], shape: z.any(), code: 1 },
  { command: "probe", args: () => ["succeeded", "--last", "1"], shape: z.any(), code: 3 },
  { command: "datasets list", shape: page("Dataset") },
  { command: "datasets show", args: () => ["known"], shape: (api("Dataset") as z.ZodObject).extend({ data: z.array(api("DatasetRow")) }) },
  { command: "datasets delete", args: () => ["known"], shape: own({ deleted: text }) },
  { command: "bulk list", shape: page("Bulk") },
  { command: "bulk show", args: ({ bulk = "" }) => [bulk], shape: api("Bulk") },
  { command: "bulk stop", args: ({ bulk = "" }) => [bulk], shape: api("Bulk") },
  { command: "run", args: () => ["asking", "--detach"], shape: api("Started"), keep: { asking: ({ id }) => id } },
  { command: "inbox", shape: page("Asked") },
  { command: "overview", shape: api("Overview") },
  { command: "answer", args: ({ asking = "" }) => [`${asking}/i1`, "Right"], shape: api("Interaction") },
  { command: "run", args: () => ["writes", "--rehearse", "--detach"], shape: api("Started"), keep: { writes: ({ id }) => id } },
  { command: "approve", args: ({ writes = "" }) => [`${writes}/i1`], shape: api("Interaction") },
  { command: "run", args: () => ["writes", "--rehearse", "--detach"], shape: api("Started"), keep: { writes: ({ id }) => id } },
  { command: "reject", args: ({ writes = "" }) => [`${writes}/i1`], shape: api("Interaction") },
  { command: "run", args: () => ["held", "--detach"], shape: api("Started"), keep: { held: ({ id }) => id } },
  { command: "steer", args: ({ held = "" }) => [held, "a", "Be", "brief."], shape: api("SteerQueued") },
  { command: "catalog list", shape: api("CatalogList") },
  { command: "catalog export", form: "none", shape: api("Bundle") },
  { command: "catalog put", args: () => ["."], shape: api("Applied") },
  { command: "catalog rollback", args: () => ["1"], shape: api("Replaced") },
  { command: "catalog pull", args: () => ["copy"], shape: own({ folder: text, written: texts, kept: texts }) },
  ...definitions("flows", "flow", "long", "flows/long.yaml"),
  ...definitions("agents", "agent", "greeter", "agents/greeter.md"),
  ...definitions("skills", "skill", "style", "skills/style/SKILL.md"),
  { command: "catalog export", form: "none", shape: z.looseObject({ skills: z.strictObject({}) }) },
  { command: "tools put", args: () => ["orders_find", "tool.yaml"], shape: api("ToolWritten") },
  { command: "tools list", shape: page("ToolRow") },
  { command: "tools call", args: () => ["system.info"], shape: api("ToolCalled") },
  { command: "tools delete", args: () => ["orders_find"], shape: REMOVED },
  { command: "secrets put", args: () => ["in"], input: "Zm9vYmFyYmF6cXV4Zm9v\n", shape: own({ scope: text }) },
  { command: "secrets list", shape: page("SecretRow") },
  { command: "flows put", args: () => ["long", "flows/long.yaml"], shape: api("Written") },
  {
    command: "hooks create",
    args: () => ["--flow", "long", "--kind", "token", "--secret", "in"],
    shape: api("Hook"),
    keep: { hook: ({ id }) => id },
  },
  { command: "hooks list", shape: page("Hook") },
  { command: "hooks show", args: ({ hook = "" }) => [hook], shape: api("Hook") },
  { command: "hooks test", args: ({ hook = "" }) => [hook], shape: api("HookTest") },
  { command: "hooks deliveries", args: ({ hook = "" }) => [hook], shape: page("Delivery") },
  { command: "hooks delete", args: ({ hook = "" }) => [hook], shape: REMOVED },
  { command: "callbacks list", shape: page("Callback") },
  { command: "callbacks show", args: () => ["cb_none"], shape: z.any(), code: 1 },
  { command: "callbacks deliveries", shape: page("CallbackDelivery") },
  { command: "callbacks redrive", args: () => ["msg_none"], shape: z.any(), code: 1 },
  { command: "callbacks delete", args: () => ["cb_none"], shape: z.any(), code: 1 },
  {
    command: "schedules create",
    args: () => ["--flow", "long", "--cron", "0 0 29 2 *"],
    shape: api("Schedule"),
    keep: { schedule: ({ id }) => id },
  },
  { command: "schedules list", shape: page("Schedule") },
  { command: "schedules show", args: ({ schedule = "" }) => [schedule], shape: api("Schedule") },
  { command: "schedules fire", args: ({ schedule = "" }) => [schedule], shape: api("Fired") },
  { command: "schedules delete", args: ({ schedule = "" }) => [schedule], shape: REMOVED },
  { command: "secrets delete", args: () => ["in"], shape: REMOVED },
  { command: "keys create", args: () => ["--name", "ci", "--scope", "runs:read"], shape: api("NewKey"), keep: { key: ({ id }) => id } },
  { command: "keys list", shape: page("KeyRow") },
  { command: "keys revoke", args: ({ key = "" }) => [key], shape: REMOVED },
  { command: "providers put", args: () => ["house", "--file", "provider.yaml"], shape: api("ProviderShown") },
  { command: "providers list", shape: page("ProviderShown") },
  { command: "providers test", args: () => ["house"], shape: api("ProviderTest") },
  { command: "providers delete", args: () => ["house"], shape: REMOVED },
  { command: "prices put", args: () => ["other-prices.yaml"], shape: api("Prices") },
  { command: "prices list", shape: api("Prices") },
  { command: "tenants create", args: () => ["acme", "--key", "sl_admin_local"], shape: api("Tenant") },
  { command: "tenants list", args: () => ["--key", "sl_admin_local"], shape: page("Tenant") },
  { command: "tenants delete", args: () => ["acme", "--key", "sl_admin_local"], shape: REMOVED },
  {
    command: "login",
    args: ({ url = "", own: key = "" }) => ["--profile", "here", "--url", url, "--key", key],
    shape: own({ profile: text, url: text, file: text }),
  },
  { command: "logout", args: () => ["here"], shape: own({ forgotten: text }) },
  {
    command: "doctor",
    shape: own({ ok: z.boolean(), checks: z.array(z.object({ name: text, ok: z.boolean(), says: text, fix: text.exactOptional() })) }),
  },
  { command: "open", shape: own({ url: text }) },
  { command: "completion", args: () => ["bash"], form: "none", shape: TEXT },
]

/** Shown elsewhere: `dev` serves until it is stopped (package:check), `serve`, `backup` and `restore` are of a data folder (test/local), and `connect`
 *  needs a server on the net (test/mcp). */
export const ELSEWHERE: readonly string[] = ["dev", "serve", "backup", "restore", "connect"]
