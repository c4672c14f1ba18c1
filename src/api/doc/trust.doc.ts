// Describes the API's answers about replays, comparisons and receipts.

import { z } from "zod"
import { FailureSource } from "../../core/run/event-parts.ts"
import { RunUsage } from "./run/runs.doc.ts"
import { documented, JsonObject } from "./shape.doc.ts"

export const Replayed = z.object({
  events: z.number().describe("How many events the journal has."),
  identical: z.boolean().describe("Whether this build's kernel makes the same journal, byte for byte."),
  first: z
    .object({
      seq: z.number().describe("The event where they part."),
      expected: z.json().describe("The journal's event; null if the journal ends before it."),
      found: z.json().describe("What this build's kernel does in its place: an event, a refusal or a fault; null for nothing."),
    })
    .exactOptional()
    .describe("The first difference."),
})

export type Replayed = z.infer<typeof Replayed>

const side = z
  .object({
    status: z.string().describe("How the pass ended, `skipped`, or `running`."),
    summary: z.string().describe("What the step said about its result."),
    outputs: JsonObject.describe("Its outputs."),
    branch: z.string().exactOptional().describe("The branch that it took."),
    source: FailureSource.exactOptional().describe("Where a failure came from."),
  })
  .nullable()
export const Comparison = z.object({
  common: z
    .object({ seq: z.number().describe("Its last event."), head: z.string().describe("The hash of that event.") })
    .nullable()
    .describe("The beginning that both journals have, byte for byte; null if there is none."),
  definitions: z
    .array(
      z.object({
        path: z.string().describe("The definition's path."),
        diff: z.string().nullable().describe("A unified diff of the texts; null without `catalog:read`, or if a text is lost."),
      }),
    )
    .describe("The definitions that are not the same."),
  steps: z
    .array(
      z.object({
        step: z.string().describe("The step."),
        pass: z.number().describe("The pass, from 1."),
        same: z.boolean().describe("Whether both ended alike."),
        a: side.describe("In the first run; null if it has no such pass."),
        b: side.describe("In the second run; null if it has no such pass."),
      }),
    )
    .describe("Every pass, in the order of the first run's flow, then what only the second one has."),
  first: z
    .object({ step: z.string().describe("The step."), pass: z.number().describe("The pass.") })
    .nullable()
    .describe("The first of `steps` that is not the same."),
  output: z
    .array(
      z.object({
        pointer: z.string().describe("JSON Pointer into the output."),
        a: z.json().describe("In the first run; null if it is not there."),
        b: z.json().describe("In the second run; null if it is not there."),
      }),
    )
    .describe("Where the outputs of the runs differ."),
  usage: z
    .object({ a: RunUsage.describe("Of the first run."), b: RunUsage.describe("Of the second run.") })
    .describe("What both have used."),
})
export type Comparison = z.infer<typeof Comparison>

const holds = (what: string) => z.boolean().describe(what)
export const Verified = z.object({
  valid: z.boolean().describe("Whether all checks hold. A replay by another build does not count."),
  line: z.number().exactOptional().describe("The first line at which something is wrong, from 1."),
  checks: z
    .object({
      form: holds("Each line is written as it must be."),
      sequence: holds("All events are there, in order."),
      chain: holds("Each line has the hash of the one before it."),
      definitions: holds("The texts are those that the run was started with."),
      signature: holds("A key of this instance signed it."),
      replay: holds("This build's kernel makes the same events; tried only if all else holds."),
    })
    .describe("What holds, by check."),
})

export type Verified = z.infer<typeof Verified>

export const SigningKey = z.object({
  kty: z.literal("OKP").describe("The kind of key."),
  crv: z.literal("Ed25519").describe("The curve."),
  x: z.string().describe("The public key, in base64url."),
  kid: z.string().describe("The key's id, as receipts name it."),
  use: z.literal("sig").describe("What it is for."),
  alg: z.literal("EdDSA").describe("The algorithm."),
})
export type SigningKey = z.infer<typeof SigningKey>
export const SigningKeys = z.object({ keys: z.array(SigningKey).describe("Every key that ever signed, oldest first.") })

const key = {
  kty: "OKP",
  crv: "Ed25519",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  kid: "sig_0f5e2c91a7b34d6688e1c2f3a4b5d6e7",
  use: "sig",
  alg: "EdDSA",
} as const

export const trustDoc = documented({
  parameters: { other: { description: "The id of the run to compare with.", example: "run_1p5v7k0q4m9x3c1z6b8d2f0h4j" } },
  shapes: { Comparison, Replayed, Verified, SigningKey, SigningKeys },
  examples: {
    Comparison: {
      common: { seq: 17, head: "9b9ba4cdab2972f5e34085f2722531a75a7ddcc663c3fdfbb346751d7dcda8c4" },
      definitions: [{ path: "agents/sorter.md", diff: "@@ -6,1 +6,1 @@\n-Sort it.\n+Sort it by urgency.\n" }],
      steps: [
        {
          step: "sort",
          pass: 1,
          same: false,
          a: { status: "complete", summary: "Not urgent.", outputs: { urgent: false } },
          b: { status: "complete", summary: "Urgent.", outputs: { urgent: true } },
        },
      ],
      first: { step: "sort", pass: 1 },
      output: [{ pointer: "/urgent", a: false, b: true }],
      usage: { a: { tokens: 1200, usd: 0.004, tool_calls: 2 }, b: { tokens: 1350, usd: 0.005, tool_calls: 2 } },
    },
    Replayed: { events: 42, identical: true },
    Verified: {
      valid: false,
      line: 7,
      checks: { form: true, sequence: true, chain: false, definitions: true, signature: true, replay: false },
    },
    SigningKey: key,
    SigningKeys: { keys: [key] },
  },
})
