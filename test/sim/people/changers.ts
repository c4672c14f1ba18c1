// Changers: who changes what starts are judged by while desks have leases [F71]: providers, roles, secrets, tools, hooks, receivers, keys, MCP servers, the
// policy and the budget of the day. Everything is as before when they are done.

import { RECEIVER_HOST, TOOLS_HOST } from "../world/services.ts"
import { isNo, STORM_MS, type Actor, type Life } from "./life.ts"
import { Person } from "./person.ts"
import { rule } from "./rulers.ts"

/** At once, so that the tenant has desks. */
const AT_ONCE = 13
const PAUSE_MS = 250
const TRIES = 3
/** Of all changes, so many. */
const MOST = 6

export const changers: Actor = {
  name: "changers",
  often: 0.05,
  play(life) {
    const rolls = life.rollsOf("changers")
    life.at(rolls.roll("when") * STORM_MS * 0.6, "changes", () => change(life))
  },
}

async function change(life: Life): Promise<void> {
  const rolls = life.rollsOf("changers")
  const first = rolls.below("first", CHANGES.length)
  const chosen = [...CHANGES, ...CHANGES].slice(first, first + MOST)
  const keys = await Promise.all(chosen.map((_, n) => keyOf(life, n)))
  await life.admin.get("PUT", "/v1/secrets/spare", { value: "nobody needs it" })
  let begun = 0
  const some = (count: number): Promise<unknown> => Promise.all(Array.from({ length: count }, () => start(life, begun++)))
  for (const [n, person] of keys.entries()) {
    // A start, and whoever comes with a key that the desk does not know, make it ask for a lease. Its places are gone then, and it asks again.
    for (const starts of n === 0 ? [AT_ONCE, 1] : [1, AT_ONCE, 1]) {
      await Promise.all([some(starts), person.insist("GET", "/v1/runs?limit=1")])
      for (let tries = 0; tries < TRIES && !isLeased(life); tries++) await person.insist("GET", "/v1/runs?limit=1")
      if (isLeased(life)) break
    }
    await chosen[n]?.(life)
    await life.sleep(PAUSE_MS)
  }
}

/** Whether a desk of the tenant may start runs by what it has read. */
function isLeased({ world: { service }, tenant }: Life): boolean {
  const { storage } = service.tenants.of(tenant)
  const out = "SELECT 1 FROM desk WHERE until > ? AND recalled < lease LIMIT 1"
  return storage.tables().includes("desk") && storage.rows(out, service.border.wall()).length > 0
}

async function keyOf(life: Life, n: number): Promise<Person> {
  const body = { name: `change ${n}`, scopes: ["runs:read"] }
  const { key } = await life.admin.get<{ key?: string }>("POST", "/v1/keys", body, { "idempotency-key": `change-${n}` })
  return key === undefined ? life.admin : new Person(life.world.service, key)
}

async function start(life: Life, n: number): Promise<void> {
  const name = life.name(`x${n}`)
  const asked = life.now
  const { status, text } = await life.admin.insist("POST", "/v1/flows/work/runs", { task: name }, { "idempotency-key": `start-${name}` })
  if (status !== 202) throw new Error(`${status} ${text.slice(0, 200)}`)
  life.started("work", name, (JSON.parse(text) as { id: string }).id, "start", asked)
}

/** Changes it, and takes it back. */
const put =
  (path: string, body: object): ((life: Life) => Promise<void>) =>
  async (life) => {
    await life.admin.get("PUT", path, body)
    if ((await life.admin.insist("DELETE", path)).status >= 500) throw new Error(`${path} cannot be deleted`)
    const { status } = await life.admin.insist("GET", path)
    if (status < 300) life.found(`[F71] ${path} is there after its deletion`)
    if (path.startsWith("/v1/tools/") && (await life.admin.insist("DELETE", path)).status < 300) life.found(`[F71] ${path} is deleted twice`)
  }

const create =
  (path: string, body: object): ((life: Life) => Promise<void>) =>
  async ({ admin }) => {
    const { id } = await admin.get<{ id: string }>("POST", path, body, { "idempotency-key": `changed${path}` })
    const { status, text } = await admin.insist("DELETE", `${path}/${id}`)
    if (status !== 204 && !isNo(status)) throw new Error(`${path}/${id}: ${status} ${text.slice(0, 200)}`)
  }

const TOOL = {
  description: "is not used",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  request: { method: "GET", url: `http://${TOOLS_HOST}/look/spare` },
  effect: "read",
}

const FAR = "cron: 0 0 1 7 *\nflow: work\ntask: far\n"
const FILES = { schedules: { "far.yaml": FAR, "farther.yaml": FAR } }

/** Its list is looked at once more, which changes nothing but its row. */
async function server({ admin }: Life): Promise<void> {
  const path = "/v1/mcp-servers/spare"
  await admin.get("PUT", path, { url: `http://${TOOLS_HOST}/mcp`, approve: true })
  await admin.insist("POST", `${path}/refresh`)
  const { status, text } = await admin.insist("DELETE", path)
  if (status !== 204 && !isNo(status)) throw new Error(`${path}: ${status} ${text.slice(0, 200)}`)
}

/** [F79] What a file makes has an id of its own, and goes with its file. */
async function files(life: Life): Promise<void> {
  await life.admin.get("PATCH", "/v1/catalog", FILES)
  const mine = async (): Promise<number> =>
    (await life.admin.all<{ cron: string }>("/v1/schedules")).filter(({ cron }) => FAR.startsWith(`cron: ${cron}\n`)).length
  const made = await mine()
  await life.admin.get("PATCH", "/v1/catalog", { delete: Object.keys(FILES.schedules).map((it) => `schedules/${it}`) })
  const left = await mine()
  // A rollback may bring them back, or take them away.
  const isAlone = !life.told.writes.some(({ revision }) => revision !== undefined)
  if (isAlone && made !== 2) life.found(`[F79] two files have made ${made} schedules`)
  if (isAlone && left !== 0) life.found(`[F79] ${left} schedules have outlived their files`)
}

const CHANGES: readonly ((life: Life) => Promise<void>)[] = [
  put("/v1/settings/providers/spare", {
    kind: "scripted",
    turns: { "*": [{ finish: { status: "complete", summary: "done", files: [] } }] },
  }),
  async ({ admin }) => void (await admin.get("PUT", "/v1/settings/roles", { default: "sim/chooser" })),
  // A new one changes the rules too.
  put("/v1/secrets/spare", { value: "nobody needs this one" }),
  put("/v1/tools/spare", TOOL),
  create("/v1/hooks", { flow: "work", kind: "github", secret: "hooked", autonomous: false }),
  create("/v1/callbacks", { url: `http://${RECEIVER_HOST}/spare`, secret: "receiver", events: ["run.failed"], payload: "thin" }),
  create("/v1/keys", { name: "spare", scopes: ["runs:read"] }),
  files,
  server,
  (life) => rule(life, "policy", {}),
  (life) => rule(life, "budget", {}),
]
