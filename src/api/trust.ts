// Declares the proofs of a run [K17, K18, K40-K42]: comparisons, replays and receipts.

import { NoBody, type Routes } from "./route/route.ts"

/** [K42] A larger receipt is verified by `sluice verify`. */
const MAX_RECEIPT_BYTES = 16 * 1_048_576 // limit: bytes of a receipt that is verified over HTTP → 413

export const trust = {
  compareRuns: {
    method: "GET",
    path: "/v1/runs/:run/compare/:other",
    scope: "runs:read",
    tag: "Trust",
    summary: "Compare two runs",
    description:
      "Their passes are aligned by step and pass, in the order of the first run's flow. Texts of definitions need `catalog:read`.",
    answers: { 200: { description: "The common part and the differences.", body: "Comparison" } },
  },
  replayRun: {
    method: "GET",
    path: "/v1/runs/:run/replay",
    scope: "runs:read",
    tag: "Trust",
    summary: "Replay a run's journal",
    description:
      "Each signal is read back from the events that it became, and goes through this build's kernel again. No call is made and nothing changes. The response has the first difference, if any.",
    answers: { 200: { description: "Whether the replayed journal is the same.", body: "Replayed" } },
    problems: ["definitions_lost"],
  },
  getReceipt: {
    method: "GET",
    path: "/v1/runs/:run/receipt",
    scope: "runs:read",
    also: ["catalog:read"],
    tag: "Trust",
    summary: "Read the receipt of a run that has ended",
    description:
      "JSON Lines: the run's definitions, its events byte for byte, and a signature over both. Also needs `catalog:read`, because it contains the texts of all definitions.",
    answers: { 200: { description: "The receipt, always the same.", body: { "application/jsonl": "text" } } },
    problems: ["run_not_over", "definitions_lost", "not_configured"],
  },
  verifyReceipt: {
    method: "POST",
    path: "/v1/receipts/verify",
    scope: "any",
    tag: "Trust",
    summary: "Verify a receipt of this instance",
    description: "The response lists which checks pass, for any input. `sluice verify` does the same without a server.",
    media: { "text/plain": "text" },
    bodyLimit: MAX_RECEIPT_BYTES,
    answers: { 200: { description: "The passed checks, and the first invalid line.", body: "Verified" } },
    noKey: true,
  },
  getSigningKeys: {
    method: "GET",
    path: "/.well-known/sluice-keys.json",
    scope: "open",
    tag: "Trust",
    summary: "Read the public keys that verify receipts",
    answers: { 200: { description: "A JSON Web Key Set; old keys stay in it.", body: "SigningKeys" } },
    problems: ["too_large"],
  },
  rotateSigningKey: {
    method: "POST",
    path: "/v1/signing-keys",
    scope: "instance",
    tag: "Trust",
    summary: "Sign receipts with a new key from now on",
    body: NoBody,
    optional: true,
    answers: { 201: { description: "The new public key.", body: "SigningKey" } },
    problems: ["too_many_signing_keys", "not_configured"],
  },
} as const satisfies Routes
