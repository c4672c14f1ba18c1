// Lists the receivers of callbacks and the messages to them, and sends one again.

import { defined } from "../../../src/core/defined.ts"
import type { Command } from "../../command.ts"
import { EXIT } from "../../exit.ts"
import { MESSAGE_STATUS } from "../../../src/api/callbacks.ts"
import { listed, removedByName, shown, table } from "./shapes.ts"

const callbackDeliveries: Command = {
  name: "callbacks deliveries",
  says: "list the messages to receivers, newest first",
  options: [
    { flags: "--run <run>", says: "only about this run" },
    { flags: "--status <status>", says: "only with this status", choices: MESSAGE_STATUS },
  ],
  examples: ["callbacks deliveries --status dead", "callbacks deliveries --run run_01…"],
  async run(context, _, given) {
    const status = MESSAGE_STATUS.find((one) => one === given.text("status"))
    const data = await (await context.client()).callbacks.deliveries(defined({ run: given.text("run"), status })).all()
    context.show({ data }, () =>
      data.length === 0 ? ["no messages"] : table(data, ["id", "created", "type", "status", "attempts", "url", "last_error"]),
    )
    return EXIT.ok
  },
}

const callbackRedrive: Command = {
  name: "callbacks redrive",
  says: "send a message again",
  words: ["<message>"],
  examples: ["callbacks redrive msg_01…"],
  async run(context, words) {
    const sent = await (await context.client()).callbacks.redrive(words.text(0))
    context.show(sent, () => [`${sent.id} is queued`])
    return EXIT.ok
  },
}

export const callbacks: readonly Command[] = [
  listed("callbacks", "list the receivers of callbacks", (client) => client.callbacks.list(), ["id", "name", "url", "events", "enabled"]),
  shown("callbacks", "show a receiver", "cb_01…"),
  callbackDeliveries,
  callbackRedrive,
  removedByName("callbacks", "remove a receiver", "cb_01…"),
]
