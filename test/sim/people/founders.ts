// Founders: who deletes a busy tenant, and creates one of its name while the deletion is under way [N3].

import { CATALOG, SETTINGS } from "../world/catalog.ts"
import { STORM_MS, type Actor, type Life } from "./life.ts"
import { ADMIN, Person } from "./person.ts"

const SCOPES = ["runs:write", "runs:read", "catalog:write", "catalog:read", "interactions:answer", "admin"]
const FLOWS = ["work", "nap", "heed"] as const
/** Starts side by side, so many times: a tenant that begins so many has desks, which report late. */
const BUSY = { waves: 2, atOnce: 14 } as const
const QUIET = { waves: 1, atOnce: 3 } as const
const QUIET_ONES = 2
/** So long after the last starts at most a tenant is deleted. */
const MEANWHILE_MS = 600
/** Of clocks: two machines differ by as much. */
const SKEW_MS = 15_000
/** Late reports, and what a deletion that has lost its tenant would still do, have come by then. */
const LATER_MS = 240_000

export const founders: Actor = {
  name: "founders",
  often: 0.14,
  play(life) {
    const rolls = life.rollsOf("founders")
    const when = (): number => rolls.roll("when") * STORM_MS * 0.6
    // Tenants of their own, beside those of the stories.
    const name = `cast-${life.tenant}-${life.nth}`
    life.at(when(), "a tenant that comes and goes", () => found(life, name, BUSY))
    for (let n = 0; n < QUIET_ONES; n++) life.at(when(), "a tenant that comes back", () => found(life, `${name}-${n}`, QUIET))
  },
}

async function found(life: Life, tenant: string, how: typeof BUSY | typeof QUIET): Promise<void> {
  const { service } = life.world
  const rolls = life.rollsOf("founders")
  const instance = new Person(service, ADMIN)
  const first = await begin(instance, tenant)
  const old = await rush(life, first, tenant, how)
  if (how === BUSY && rolls.chance("ends for good", 0.7)) return end(life, instance, tenant)
  // Who was there a moment ago may be taken for one of the next tenant.
  await life.sleep(SKEW_MS)
  const deletion = await leaving(life, instance, tenant)
  await life.sleep(rolls.roll("founding") * 1_000)
  const next = await begin(instance, tenant)
  await deletion.over
  await life.sleep(LATER_MS)
  const { status, text } = await next.insist("GET", "/v1/runs?limit=200")
  if (status !== 200) return life.found(`[N3] the next tenant of the name ${tenant} has lost its key: ${status} ${text.slice(0, 200)}`)
  const { data } = JSON.parse(text) as { data: readonly { id: string; task?: string }[] }
  for (const { id, task } of data)
    if (old.has(id) || task?.includes(tenant) === true)
      life.found(`[N3] the next tenant of the name ${tenant} has the run ${id} of the one before`)
  const flow = await next.insist("GET", "/v1/flows/work")
  if (flow.status !== 200) life.found(`[N3] the next tenant of the name ${tenant} has lost its catalog: ${flow.status}`)
  await end(life, instance, tenant)
}

/** Asks for its deletion once, until that has begun: from then on it is a deletion of this tenant, and of no other one. */
async function leaving(life: Life, instance: Person, tenant: string): Promise<{ readonly over: Promise<unknown> }> {
  const { storage } = life.world.service.directory.of("directory")
  const state = (): unknown => storage.rows<{ state: string }>("SELECT state FROM tenant WHERE id = ?", tenant)[0]?.state
  for (;;) {
    let isAnswered = false
    const end = (): void => void (isAnswered = true)
    const deletion = instance.ask("DELETE", `/v1/tenants/${tenant}`).then(end, end)
    for (let ms = 5; !isAnswered && state() === "there"; ms *= 1.2) await life.sleep(ms)
    if (state() !== "there") return { over: deletion }
  }
}

/** Deletes it for good: its object keeps no rows, whatever comes late. */
async function end(life: Life, instance: Person, tenant: string): Promise<void> {
  for (let status = 0; status !== 200 && status !== 404;) {
    status = (await instance.insist("DELETE", `/v1/tenants/${tenant}`)).status
    if (status === 202) await life.sleep(3_000)
  }
  await life.sleep(LATER_MS)
  const tables = life.world.service.tenants
    .of(tenant)
    .storage.tables()
    .filter((it) => !it.startsWith("_cf"))
  if (tables.length > 0) life.found(`[N3] ${tenant} is deleted, and its object has ${tables.length} tables`)
}

/** Creates it, with all that a start needs. */
async function begin(instance: Person, tenant: string): Promise<Person> {
  for (let n = 0; ; n++) {
    const key = { "idempotency-key": `${tenant} ${n} ${instance.service.timeline.now}` }
    const { status, text } = await instance.insist("POST", "/v1/tenants", { id: tenant }, key)
    if (status === 201) {
      const again = await instance.insist("POST", "/v1/tenants", { id: tenant }, key)
      if (again.status !== 201) instance.service.found(`[H4] the creation of ${tenant} under its key is answered ${again.status} again`)
      break
    }
    // 409: the one before is still being deleted, or an earlier try made it.
    if (status !== 409) throw new Error(`${tenant}: ${status} ${text.slice(0, 200)}`)
    if ((await instance.insist("GET", `/v1/tenants/${tenant}`)).status === 200) break
    await instance.service.sleep(1_000)
  }
  const { key } = await instance.get<{ key: string }>("POST", `/v1/tenants/${tenant}/keys`, { name: "all", scopes: SCOPES })
  const admin = new Person(instance.service, key)
  for (const [path, body] of SETTINGS.slice(0, 1)) await admin.get("PUT", path, body)
  await admin.get("PUT", "/v1/catalog", { agents: { "worker.md": CATALOG.agents["worker.md"] }, flows: flowsOf(), skills: {} })
  return admin
}

const flowsOf = (): Readonly<Record<string, string>> => Object.fromEntries(FLOWS.map((it) => [`${it}.yaml`, CATALOG.flows[`${it}.yaml`]]))

/** Starts runs side by side. It is over while the last of them may be under way. */
async function rush(
  life: Life,
  admin: Person,
  tenant: string,
  { waves, atOnce }: typeof BUSY | typeof QUIET,
): Promise<ReadonlySet<string>> {
  const rolls = life.rollsOf("founders")
  const ids = new Set<string>()
  const start = async (name: string): Promise<void> => {
    const path = `/v1/flows/${rolls.pick("flow", FLOWS)}/runs`
    const { status, text } = await admin.insist("POST", path, { task: `case-${tenant}-${name}` }, { "idempotency-key": name })
    if (status === 202) ids.add((JSON.parse(text) as { id: string }).id)
    // 401, 404: the tenant is deleted meanwhile.
    else if (![429, 401, 404].includes(status)) throw new Error(`${status} ${text.slice(0, 200)}`)
  }
  for (let wave = 0; wave < waves; wave++) {
    const all = Promise.all(Array.from({ length: atOnce }, (_, n) => start(`${wave}-${n}`)))
    await (wave === waves - 1 ? Promise.race([all, life.sleep(rolls.roll("goes") * MEANWHILE_MS)]) : all)
  }
  return ids
}
