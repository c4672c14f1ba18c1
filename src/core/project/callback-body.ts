// Defines the settings of a callback receiver [W6]: the body of `POST /v1/callbacks`, and the file `callbacks/NAME.yaml`.

import { z } from "zod"
import { defined } from "../defined.ts"
import { NOTICE_FORMATS, NOTICE_KINDS, NOTICE_PAYLOADS, NOTICES, type StartCallback } from "../run/notice.ts"
import { name, url } from "../schema/bounded.ts"
import { later } from "../schema/later.ts"

/** Services that take messages for people know no signature: their address is the secret. */
const UNSIGNED: readonly (string | undefined)[] = ["slack", "email-webhook"]

const Body = later(() =>
  z.strictObject({
    url,
    events: z
      .array(z.enum(NOTICES))
      .min(1, "must name at least one event; leave it out to receive all of them")
      // A client may name one twice.
      .max(4 * NOTICES.length)
      .transform((events) => [...new Set(events)])
      .exactOptional(),
    secret: name.exactOptional(),
    kind: z.enum(NOTICE_KINDS).exactOptional(),
    payload: z.enum(NOTICE_PAYLOADS).exactOptional(),
    format: z.enum(NOTICE_FORMATS).exactOptional(),
  }),
)
export const CallbackBody = later(() =>
  Body.refine(({ secret, kind }) => secret !== undefined || UNSIGNED.includes(kind), {
    path: ["secret"],
    message: "is required: the vault scope whose secret signs the messages",
  }).refine(({ kind, format }) => format === undefined || kind === undefined || kind === "webhook", {
    path: ["format"],
    message: 'needs the kind "webhook": messages for people have a form of their own',
  }),
)
export type CallbackBody = z.output<typeof CallbackBody>

/** Fills in all events if none are named. */
export const wholeCallback = ({ url, events = [...NOTICES], secret = "", kind, payload, format }: CallbackBody): StartCallback => ({
  url,
  events,
  secret,
  ...(kind === undefined || kind === "webhook" ? {} : { kind }),
  ...(payload === undefined || payload === "whole" ? {} : { payload }),
  ...defined({ format }),
})
