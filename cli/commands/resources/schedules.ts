// Lists, makes and fires schedules.

import { defined } from "../../../src/core/defined.ts"
import { idOf } from "../../by-name.ts"
import type { Command } from "../../command.ts"
import { EXIT } from "../../exit.ts"
import type { NewSchedule } from "../../../src/api/schedules.ts"
import { bodyWith, FILE, listed, removedByName, shown } from "./shapes.ts"

const scheduleCreate: Command = {
  name: "schedules create",
  says: "create a schedule: five cron fields and a time zone",
  options: [
    FILE,
    { flags: "--flow <flow>", says: "the flow that starts" },
    { flags: "--cron <fields>", says: "five cron fields" },
    { flags: "--zone <zone>", says: "a time zone such as Europe/Berlin; UTC by default" },
    { flags: "--task <text>", says: "the task of each run" },
  ],
  examples: ['schedules create --flow digest --cron "0 7 * * 1-5" --zone Europe/Berlin --task "Yesterday."'],
  async run(context, _, given) {
    const [flow, cron, zone, task] = ["flow", "cron", "zone", "task"].map((name) => given.text(name))
    const body = await bodyWith(context, given, defined({ flow, cron, zone, task }))
    const schedule = await (await context.client()).schedules.create(body as NewSchedule)
    context.show(schedule, () => [schedule.id])
    return EXIT.ok
  },
}

const scheduleFire: Command = {
  name: "schedules fire",
  says: "fire a schedule now",
  words: ["<id>"],
  examples: ["schedules fire morning"],
  async run(context, words) {
    const client = await context.client()
    const fired = await client.schedules.fire(await idOf(client.schedules.list(), words.text(0)))
    context.show(fired, () => [fired.run ?? fired.verdict])
    return EXIT.ok
  },
}

export const schedules: readonly Command[] = [
  listed("schedules", "list schedules", (client) => client.schedules.list(), ["id", "name", "flow", "cron", "zone", "enabled"]),
  shown("schedules", "show a schedule", "sch_01…"),
  scheduleCreate,
  scheduleFire,
  removedByName("schedules", "remove a schedule", "sch_01…"),
]
