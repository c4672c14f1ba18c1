// Lists the files of three features that span many rooms, to count their folders.

const A2A = [
  "src/api/a2a.ts",
  "src/api/doc/a2a.doc.ts",
  "src/protocols/a2a/agent.ts",
  "src/protocols/a2a/answer.ts",
  "src/protocols/a2a/card.ts",
  "src/protocols/a2a/fault.ts",
  "src/protocols/a2a/frames.ts",
  "src/protocols/a2a/message.ts",
  "src/protocols/a2a/operations.ts",
  "src/protocols/a2a/push-store.ts",
  "src/protocols/a2a/push.ts",
  "src/protocols/a2a/rest.ts",
  "src/protocols/a2a/rpc.ts",
  "src/protocols/a2a/run-task.ts",
  "src/protocols/a2a/task-list.ts",
  "src/protocols/a2a/task.ts",
  "src/protocols/a2a/version.ts",
]

const DESKS = [
  "src/cloudflare/desks/known-desks.ts",
  "src/cloudflare/desks/desk-deps.ts",
  "src/cloudflare/desks/desk.ts",
  "src/cloudflare/desks/desk-leases.ts",
  "src/cloudflare/desks/desks-room.ts",
  "src/ports/desks.ts",
]

const HOOKS = [
  "console/app/settings/hooks/delivery-list.tsx",
  "console/app/settings/hooks/hook-form.tsx",
  "console/app/settings/hooks/hook-page.tsx",
  "console/app/settings/hooks/hook-tags.tsx",
  "console/app/settings/hooks/hooks.tsx",
  "src/api/doc/hooks.doc.ts",
  "src/api/hooks.ts",
  "src/cloudflare/tenant/hooks/deliveries.ts",
  "src/cloudflare/tenant/hooks/delivery-store.ts",
  "src/cloudflare/tenant/hooks/hook-door.ts",
  "src/cloudflare/tenant/hooks/hook-id.ts",
  "src/cloudflare/tenant/hooks/hook-room.ts",
  "src/cloudflare/tenant/hooks/hook-store.ts",
  "src/core/webhook/delivered-inputs.ts",
  "src/core/webhook/depth.ts",
  "src/core/webhook/filter.ts",
  "src/core/webhook/hook-body.ts",
  "src/core/webhook/hook.ts",
  "src/core/webhook/mapping.ts",
  "src/core/webhook/payload.ts",
  "src/core/webhook/read-hook.ts",
  "src/core/webhook/seen.ts",
  "src/http/hooks/hook-body.ts",
  "src/http/hooks/hook-in.ts",
  "src/http/hooks/hook-test.ts",
  "src/http/hooks/hooks.ts",
  "src/http/hooks/identity.ts",
  "src/http/hooks/sign.ts",
  "src/http/hooks/verify.ts",
  "src/ports/tenant/hooks.ts",
]

export const FEATURES = { A2A, desks: DESKS, hooks: HOOKS }

export const foldersOf = (files: readonly string[]): number => new Set(files.map((file) => file.slice(0, file.lastIndexOf("/")))).size
