// `sluice serve --production`: a server of one's own, with its data in one folder and none of the keys that everyone knows [N5].
//
// What serves is loaded when the command runs, as for `sluice dev`.

import { mkdir } from "node:fs/promises"
import path from "node:path"
import type { Command } from "../command.ts"
import { usage } from "../program.ts"

export const serve: Command = {
  name: "serve",
  says: "serve on this machine with your own keys, and all data in one folder",
  words: ["[data]"],
  options: [
    { flags: "--production", says: "required: without the well-known local keys; for development, use sluice dev" },
    { flags: "--host <host>", says: "where to listen (HOST); 127.0.0.1 by default, behind a proxy that has TLS" },
    { flags: "--port <port>", says: "where to listen (PORT); 8787 by default, 0 for any free port" },
    { flags: "--project <folder>", says: "serve the Worker of that project, src/index.ts with its own tools, instead of the shipped one" },
    { flags: "--new-vault-key", says: "serve although the VAULT_KEY that sealed the secrets is lost" },
  ],
  examples: ["serve --production /var/lib/sluice", "serve --production ./data --host 0.0.0.0 --port 8080"],
  offline: true,
  async run(context, words, given) {
    if (!given.flag("production"))
      throw usage("write sluice serve --production to serve with your own keys; for development there is sluice dev")
    const { env, cwd } = context.world
    const { environmentOf, LOCAL } = await import("../../local/environment.ts")
    const hasName = Boolean(env["ENVIRONMENT"] || env["SLUICE_ENVIRONMENT"])
    if (hasName && environmentOf(env) === LOCAL)
      throw usage("the environment is local, where everyone knows the keys: unset ENVIRONMENT and SLUICE_ENVIRONMENT")
    const port = given.number("port")
    if (port !== undefined && port > 65_535) throw usage("--port must be from 0 to 65535")
    const place = words.maybe(0) ?? env["SLUICE_DATA"]
    if (place === undefined || place === "") throw usage("name the folder of the data: sluice serve --production /var/lib/sluice")
    const { readSettings } = await import("../../local/settings.ts")
    const host = given.text("host")
    const settings = readSettings({
      ...env,
      ...(hasName ? {} : { ENVIRONMENT: "production" }),
      ...(host === undefined ? {} : { HOST: host }),
      ...(port === undefined ? {} : { PORT: String(port) }),
      SLUICE_DATA: path.resolve(cwd, place),
    })
    const project = given.text("project")
    const worker = project === undefined ? undefined : await workerOf(path.resolve(cwd, project), settings.data)
    const { startProduction } = await import("../../local/production.ts")
    const { farewell, greet } = await import("../../local/greeting.ts")
    const server = await startProduction(settings, {
      ...(worker === undefined ? {} : { worker }),
      newVaultKey: given.flag("newVaultKey"),
    })
    farewell(server, true)
    if (context.isJson) context.json({ type: "serving", url: server.url, data: server.data })
    else greet(server, settings)
    return new Promise<never>(() => {})
  },
}

async function workerOf(folder: string, data: string): Promise<string> {
  const { projectWorker } = await import("../project/worker.ts")
  const into = path.join(data, "worker")
  await mkdir(data, { recursive: true, mode: 0o700 })
  await mkdir(into, { recursive: true, mode: 0o700 })
  const worker = await projectWorker(folder, into)
  if (worker === undefined) throw usage(`${folder} has no src/index.ts: leave --project out to serve the shipped Worker`)
  return worker
}
