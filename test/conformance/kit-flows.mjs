// What the cases of cases-flows/ share beyond kit.mjs: templates in YAML, checks without a run, waiting for something to be so.
import { assert } from "./kit.mjs";
import { sleep } from "./client.mjs";

/** `${{path}}`, for YAML that stands in a template literal. */
export const ref = (path) => `\${{${path}}}`;

/** Step id → status, to compare a whole run at once. */
export const statuses = (run) => Object.fromEntries(Object.entries(run.steps).map(([id, s]) => [id, s.status]));
export const asksOf = (requests, id) => requests.filter((r) => r.id === id);

/** `POST /v1/validate`; `codes` and `find` of what it says. */
export async function check(api, content, kind = "flow", path = { flow: "flows/x.yaml", agent: "agents/x.md", skill: "skills/x/SKILL.md" }[kind]) {
  const { valid, diagnostics } = await api.post("/v1/validate", { kind, content, path });
  const find = (code) => diagnostics.find((d) => d.code === code);
  return {
    valid, diagnostics, find,
    errors: diagnostics.filter((d) => d.severity === "error").map((d) => d.code),
    warnings: diagnostics.filter((d) => d.severity === "warning").map((d) => d.code),
    /** The diagnostic of this code, which must be there with this severity. */
    must(code, severity) {
      const d = find(code);
      assert.ok(d, `${code} is missing; there is ${JSON.stringify(diagnostics.map((x) => [x.code, x.line, x.message]))}`);
      if (severity) assert.equal(d.severity, severity, `${code}: ${d.message}`);
      return d;
    },
  };
}

/** Valid: no errors. Says which there are when not. */
export const clean = (c) => assert.deepEqual(c.diagnostics.filter((d) => d.severity === "error").map((d) => [d.code, d.line, d.message]), []);

/** Probes until it gives something true. */
export async function until(what, probe, ms = 8_000) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${ms} ms for: ${what}`);
    await sleep(40);
  }
}

export const putText = (api, path, text, headers = {}) => api.raw("PUT", path, text, { "content-type": "text/plain", ...headers });
/** Status and body of an answer that may be a refusal. */
export async function answerOf(promise) {
  const r = await promise;
  const text = await r.text();
  let body; try { body = text ? JSON.parse(text) : undefined; } catch { body = text; }
  return { status: r.status, headers: r.headers, body, text };
}
export const refused = async (promise, status, pattern) => {
  const a = await answerOf(promise);
  assert.equal(a.status, status, a.text.slice(0, 600));
  if (pattern) assert.match(a.text, pattern);
  return a;
};

/** Starts, follows to the end, and reads the journal. */
export async function follow(api, flow, start = {}, answers = [], ms = 12_000) {
  const id = await api.start(flow, { task: "go", ...start });
  const run = await api.settle(id, answers, ms);
  const events = await api.events(id);
  return { id, run, events, of: (type) => events.filter((e) => e.type === type) };
}

/** Runs `body` with the tenant's model roles set so, and puts back what was there. */
export async function withRoles(api, roles, body) {
  const before = await api.get("/v1/settings/roles");
  await api.put("/v1/settings/roles", roles);
  try {
    return await body();
  } finally {
    await api.raw("PUT", "/v1/settings/roles", before.roles ?? before);
  }
}
