// The command line within the test's process: its words, a folder, an environment without the tester's own settings, and what it printed.

import { PassThrough } from "node:stream"
import { main } from "../../cli/main.ts"

export interface Done {
  readonly code: number
  readonly out: string
  readonly err: string
}

export async function sluice(
  argv: readonly string[],
  {
    cwd = process.cwd(),
    env = {},
    input,
  }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>>; readonly input?: string } = {},
): Promise<Done> {
  const [out, err, typed] = [collector(), collector(), new PassThrough()]
  if (input !== undefined) typed.end(input)
  const code = await main(argv, {
    env: { SLUICE_PROFILES: "/nonexistent/profiles.json", ...env },
    cwd,
    out: out.stream,
    err: err.stream,
    input: typed as unknown as NodeJS.ReadStream,
  })
  return { code, out: out.text(), err: err.text() }
}

function collector(): { readonly stream: NodeJS.WriteStream; text(): string } {
  const parts: string[] = []
  const stream = new PassThrough()
  stream.on("data", (part: Buffer) => parts.push(String(part)))
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => parts.join("") }
}
