// Runs separate instances side by side [N2]: each is a Worker in its own workerd with its own data folder, behind the dispatcher. The
// dispatcher reaches them by their sockets, so they share no binding, storage or memory.

import { readFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { Miniflare } from "./miniflare.ts"
import { bindingOf, INSTANCE_NAME_SAYS, isInstanceName } from "../src/core/instance-name.ts"
import { buildWorker, WORKER } from "./build.ts"
import { LOCAL } from "./environment.ts"
import { ALONE, startServer, textsOf, type Server } from "./server.ts"
import type { Settings } from "./settings.ts"
import { Trouble } from "./trouble.ts"

export const DISPATCHER = "dist/dispatcher.js"
const root = fileURLToPath(new URL("..", import.meta.url))

export interface Instances {
  readonly url: string
  /** name → instance. */
  readonly servers: ReadonlyMap<string, Server>
  close(): Promise<void>
}

/** `--instances acme,globex` → the names; undefined: not given. */
export function instancesAsked(args: readonly string[]): readonly string[] | undefined {
  const at = args.findIndex((arg) => arg === "--instances" || arg.startsWith("--instances="))
  if (at < 0) return undefined
  const names = (args[at]?.split("=")[1] ?? args[at + 1] ?? "").split(",").filter((name) => name !== "")
  if (names.length === 0 || new Set(names).size < names.length)
    throw new Trouble("--instances needs names, each once: --instances acme,globex")
  for (const name of names) if (!isInstanceName(name)) throw new Trouble(`"${name}" is not an instance name: ${INSTANCE_NAME_SAYS}`)
  return names
}

export const buildDispatcher = (outfile: string = DISPATCHER): Promise<string> => buildWorker("src/dispatch/index.ts", outfile)

export async function startInstances(
  settings: Settings,
  names: readonly string[],
  built: { readonly worker?: string; readonly dispatcher?: string } = {},
): Promise<Instances> {
  // Instances share no key [N2]: with one VAULT_KEY, a link of one would open what has the same name in another.
  if (settings.bindings["ENVIRONMENT"] !== LOCAL)
    throw new Trouble(`--instances is for development: start one server for each, with keys and a data folder of its own`, 2)
  const servers = new Map<string, Server>()
  const closeAll = async (): Promise<void> => {
    // A server that is already closed must not stop the others from closing.
    await Promise.allSettled([...servers.values()].map((server) => server.close()))
  }
  try {
    for (const name of names) servers.set(name, await startServer(own(settings, name), built.worker ?? WORKER))
    const runtime = new Miniflare({
      workers: [
        {
          config: {
            name: "dispatcher",
            compatibilityDate: "2026-07-30",
            manifest: {
              mainModule: "dispatcher.js",
              modules: {
                "dispatcher.js": { type: "esm", contents: await readFile(path.resolve(root, built.dispatcher ?? DISPATCHER), "utf8") },
              },
            },
            env: {
              ...textsOf({ DOMAIN: "localhost" }),
              ...Object.fromEntries(
                [...servers].map(([name, { url }]) => [
                  bindingOf(name),
                  { type: "external", address: new URL(url).host, http: {} } as const,
                ]),
              ),
            },
          },
          dev: { unsafeDirectSockets: [{ host: settings.host, port: settings.port }] },
        },
      ],
      host: "127.0.0.1",
      port: 0,
      ...ALONE,
    })
    await runtime.ready
    const { origin: url } = await runtime.unsafeGetDirectURL()
    return {
      url,
      servers,
      async close() {
        await runtime.dispose()
        await closeAll()
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** Links made by the instance's runs go through the dispatcher. */
function own(settings: Settings, name: string): Settings {
  const through = settings.port === 0 ? {} : { PUBLIC_URL: `http://localhost:${settings.port}/t/${name}` }
  return {
    ...settings,
    host: "127.0.0.1",
    port: 0,
    data: path.join(settings.data, "instances", name),
    bindings: { ...through, ...settings.bindings },
  }
}
