// `npm run differential`: two tenants, and every operation of /openapi.json that names a thing. Tenant A's key with an id of tenant B's
// must get the same answer as with an unused id [S10, H2]: status, headers and body, apart from request ids and clocks. Nothing of B's
// may appear in A's lists, and A may change nothing of B's.
//
// Then the same for a chat token [P9] (chat-tokens.ts): nothing but its own thread of its own flow, and nothing from inside it.
//
// Starts its own server with its own data; `--url` and `--admin` judge another server. Prints `N passed, N failed`.

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { parseArgs } from "node:util"
import { buildWorker } from "../../local/build.ts"
import { startServer } from "../../local/server.ts"
import { readSettings } from "../../local/settings.ts"
import { runMain } from "../../local/trouble.ts"
import { tokenDifferences } from "./chat-tokens.ts"
import { differences } from "./two-tenants.ts"

await runMain(async () => {
  const { values } = parseArgs({ options: { url: { type: "string" }, admin: { type: "string", default: "sl_admin_local" } } })
  if (values.url !== undefined) return report(await differences(values.url, values.admin))
  const data = await mkdtemp(path.join(tmpdir(), "sluice-differential-"))
  await buildWorker()
  const server = await startServer(
    readSettings({ ...process.env, HOST: "", PORT: "0", SLUICE_DATA: data, ALLOWED_PRIVATE_HOSTS: "127.0.0.1" }),
  )
  try {
    const [tenants, tokens] = [await differences(server.url, values.admin), await tokenDifferences(server.url, values.admin)]
    report({ passed: tenants.passed + tokens.passed, failed: [...tenants.failed, ...tokens.failed] })
  } finally {
    await server.close()
    await rm(data, { recursive: true, force: true })
  }
})

function report({ passed, failed }: { readonly passed: number; readonly failed: readonly string[] }): void {
  for (const line of failed) console.log(`FAIL ${line}`)
  console.log(`${passed} passed, ${failed.length} failed`)
  process.exitCode = failed.length > 0 || passed === 0 ? 1 : 0
}
