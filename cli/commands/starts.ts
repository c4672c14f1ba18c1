// Lists the starts that wait in line and the runs that hold a key [R23].

import type { StartRow } from "../../src/api/doc/run/starts.doc.ts"
import { START_STATES } from "../../src/api/run/starts.ts"
import { defined } from "../../src/core/defined.ts"
import { isApiKey, type Command } from "../command.ts"
import { EXIT } from "../exit.ts"
import { startLine } from "../shown/start-line.ts"

const MOST = 20

export const starts: Command = {
  name: "starts",
  says: "list starts that wait and runs that hold a key, oldest first",
  options: [
    { flags: "--flow <flow>", says: "only starts of this flow" },
    { flags: "--pool <pool>", says: "only starts with a key of this pool" },
    { flags: "--start-key <text>", says: "only starts with this key; `--key <text>` too, unless it is an API key" },
    { flags: "--state <state>", says: "only those that wait, or that run and hold a key", choices: START_STATES },
    { flags: "--limit <n>", says: `at most this many; ${MOST} by default` },
  ],
  ownKey: true,
  examples: ["starts", "starts --flow review --state waiting", "starts --start-key acme/shop#7 --json | jq '.data[].run'"],
  async run(context, _, given) {
    const most = given.number("limit", 1) ?? MOST
    const said = given.text("key")
    const named = said === undefined || isApiKey(said) ? undefined : said
    const [flow, pool, key] = [given.text("flow"), given.text("pool"), given.text("startKey") ?? named]
    const state = START_STATES.find((one) => one === given.text("state"))
    const client = await context.client()
    const data: StartRow[] = []
    for await (const row of client.starts.list({ ...defined({ flow, pool, key, state }), limit: Math.min(most, 200) })) {
      data.push(row)
      if (data.length >= most) break
    }
    context.show({ data }, () => (data.length === 0 ? ["no start waits, and no run holds a key"] : data.map(startLine)))
    return EXIT.ok
  },
}
