// `npm run limits:platform`: long runs under the platform's limits, on both plans. Each must end well, nothing may be refused, and no invocation
// may come near a bound. Nobody asks for the runs while they last: every question would begin an invocation of its own.
//
// `--full` takes the largest sizes (a map of 10,000, a loop of 2,000, a session of 500 turns). `--plan free|paid`: one plan alone.

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { parseArgs } from "node:util"
import { buildLimitedWorker, withLimits } from "../../local/limits/limited-worker.ts"
import { PLANS, type PlatformPlan } from "../../local/limits/plans.ts"
import { startServer } from "../../local/server.ts"
import { readSettings } from "../../local/settings.ts"
import { runMain } from "../../local/trouble.ts"
import { LimitedClient } from "./limited-client.ts"
import { loopbackModel, type LoopbackModel } from "./model.ts"
import { bundleOf, catalog, scenes, SIZES, type Sizes } from "./scenes.ts"

await runMain(async () => {
  const { values } = parseArgs({ options: { full: { type: "boolean", default: false }, plan: { type: "string" } } })
  const plans = Object.values(PLANS).filter(({ name }) => values.plan === undefined || values.plan === name)
  const worker = await buildLimitedWorker()
  const model = await loopbackModel(values.full ? 5 : 20)
  let [passed, failed] = [0, 0]
  try {
    for (const plan of plans) {
      for (const [name, faults] of await under(plan, worker, model, SIZES[values.full ? "full" : "small"])) {
        console.log(`${faults.length === 0 ? "ok" : "FAIL"} ${plan.name}: ${name}${faults.map((fault) => `\n  ${fault}`).join("")}`)
        if (faults.length === 0) passed++
        else failed++
      }
    }
  } finally {
    model.close()
  }
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0
})

async function under(plan: PlatformPlan, worker: string, model: LoopbackModel, sizes: Sizes): Promise<[string, string[]][]> {
  const data = await mkdtemp(path.join(tmpdir(), "sluice-platform-"))
  const env = { ...process.env, HOST: "", PORT: "0", SLUICE_DATA: data, ALLOWED_PRIVATE_HOSTS: model.host, REQUEST_LOG: "off" }
  const server = await startServer(withLimits(readSettings(env), plan), worker)
  try {
    const client = new LimitedClient(server)
    await client.ask("PUT", "/v1/settings/providers/loopback", {
      kind: "openai-compatible",
      baseUrl: model.baseUrl,
      apiKey: "key-of-the-loopback-model",
    })
    await client.ask("PUT", "/v1/catalog", catalog(sizes))
    const results: [string, string[]][] = []
    for (const [name, flow, body] of scenes(sizes)) results.push([name, await client.run(plan, flow, body)])
    const bundle = async (): Promise<string[]> => {
      await client.ask("PUT", "/v1/catalog", bundleOf(sizes.bundle))
      return []
    }
    results.push([`a bundle of ${sizes.bundle} files`, await client.counted(plan, "bundle", bundle)])
    return results
  } finally {
    await server.close()
    await rm(data, { recursive: true, force: true })
  }
}
