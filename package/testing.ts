// `sluice/testing`: a server of this machine for a test, with the project's files in it. No key, no network, gone at the end.
//
//   const server = await startSluice({ project: "." })
//   const { status, output } = await server.client.flows.run("hello", { task: "Greet Ada.", rehearse: true }).result()
//   await server.close()

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { mustBeLocal } from "../local/environment.ts"
import { startServer } from "../local/server.ts"
import { LOCAL_KEY, readSettings } from "../local/settings.ts"
import { Sluice } from "../src/client/sluice.ts"
import type { FlowArg } from "../src/client/register.ts"
import type { TestReport } from "../src/api/doc/tests.doc.ts"
import { sendable } from "../cli/handlers/packed.ts"
import { projectWorker } from "../cli/project/worker.ts"

export interface TestWish {
  /** A folder with `flows/`, `agents/` …: it is applied before the server is handed over. */
  readonly project?: string
  /** Private addresses that tools may reach: `127.0.0.1:3001`. */
  readonly privateHosts?: readonly string[]
}

export interface TestServer {
  readonly url: string
  readonly key: string
  readonly client: Sluice
  /** Replaces the catalog with a folder. A file with an error throws, and nothing changes. */
  apply(folder: string): Promise<void>
  /** [K21] The flow's own tests. */
  test<const F extends string>(flow: FlowArg<F>): Promise<TestReport>
  close(): Promise<void>
}

export async function startSluice({ project, privateHosts = [] }: TestWish = {}): Promise<TestServer> {
  mustBeLocal("startSluice", process.env)
  const data = await mkdtemp(path.join(tmpdir(), "sluice-test-"))
  const worker = project === undefined ? undefined : await projectWorker(path.resolve(project), data)
  const settings = readSettings({ PORT: "0", SLUICE_DATA: data, REQUEST_LOG: "off", ALLOWED_PRIVATE_HOSTS: privateHosts.join(",") })
  const server = await startServer(settings, worker)
  const client = new Sluice({ url: server.url, key: LOCAL_KEY })
  const close = async (): Promise<void> => {
    await server.close()
    await rm(data, { recursive: true, force: true, maxRetries: 5 })
  }
  const apply = async (folder: string): Promise<void> => void (await client.catalog.replace(await sendable(path.resolve(folder))))
  try {
    if (project !== undefined) await apply(project)
  } catch (error) {
    await close()
    throw error
  }
  return { url: server.url, key: LOCAL_KEY, client, apply, test: (flow) => client.flows.test(flow), close }
}
