// Skills: which files may be read, and by which agents [F60–F62].
import { agent, agents, assert, done, flow } from "../kit.mjs";
import { check, putText, refused } from "../kit-flows.mjs";

const skill = (name, more = "", body = "THE-INDEX\n") => `---\nname: ${name}\ndescription: how to do ${name}\n${more}---\n${body}`;
const one = { "f.yaml": flow("f", "  - { id: s, type: agent, agent: a }\n") };
const reading = (...files) => [{ calls: files.map((file) => ({ name: "skill_read", args: { skill: "docs", file } })) }, done()];
const answers = (request) => request.body.messages.filter((m) => m.role === "tool").map((m) => (typeof m.content === "string" ? m.content : m.content.map((p) => p.text).join("")));

export default [
  {
    rule: "F60", name: "without files: every stored file of the skill is readable, including folders",
    catalog: { agents: agents(agent("a", "skills: docs\n")), skills: { "docs/SKILL.md": skill("docs"), "docs/api.md": "API", "docs/deep/more.txt": "MORE" }, flows: one },
    model: { a: reading("api.md", "deep/more.txt") },
    run: { flow: "f", task: "go" },
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(answers(requests[1]), ["API", "MORE"]);
    },
  },
  {
    rule: "F60", name: "the name must be safe and match the folder; the standard's limits are warnings",
    catalog: { agents: {} },
    async expect({ api }) {
      (await check(api, skill("other"), "skill", "skills/docs/SKILL.md")).must("SV-NAME-FOLDER", "error");
      (await check(api, skill("../up"), "skill", "skills/docs/SKILL.md")).must("SV-NAME", "error");
      (await check(api, "---\nname: docs\n---\nx\n", "skill", "skills/docs/SKILL.md")).must("SV-DESC", "error");
      (await check(api, skill("docs", "files: [../secret.md]\n"), "skill", "skills/docs/SKILL.md")).must("SV-FILE", "error");
      const long = await check(api, `---\nname: docs\ndescription: ${"x".repeat(1_025)}\n---\nx\n`, "skill", "skills/docs/SKILL.md");
      long.must("SV-STANDARD", "warning");
      assert.equal(long.valid, true);
      assert.equal((await putText(api, "/v1/skills/docs/SKILL.md", skill("other"))).status, 422);
      assert.equal((await putText(api, "/v1/skills/docs/SKILL.md", skill("docs"))).status, 200);
      for (const path of ["/v1/skills/docs/%2e%2e/x.md", "/v1/skills/docs/..%2fx.md", "/v1/skills/docs/a%5c..%5cx.md"]) {
        const status = (await putText(api, path, "x")).status;
        assert.ok(status >= 400 && status < 500, `${path} ${status}`);
      }
    },
  },
  {
    rule: "F61", name: "SKILL.md is in the prompt of the agent that declares it, and of no other",
    catalog: { agents: agents(agent("a", "skills: docs\n"), agent("b")), skills: { "docs/SKILL.md": skill("docs") }, flows: { "f.yaml": flow("f", "  - { id: s, type: agent, agent: a }\n  - { id: t, type: agent, agent: b }\n") } },
    model: { a: [done()], b: [done()] },
    run: { flow: "f", task: "go" },
    expect({ requests }) {
      assert.match(requests.find((r) => r.id === "a").system, /THE-INDEX/);
      assert.doesNotMatch(requests.find((r) => r.id === "b").system, /THE-INDEX/);
    },
  },
  {
    rule: "F61", name: "an unreadable file is explained as text: unlisted with the list, missing, another skill, any path trick",
    catalog: { agents: agents(agent("a", "skills: docs\n")), skills: { "docs/SKILL.md": skill("docs", "files: [api.md, gone.md]\n"), "docs/api.md": "API", "docs/secret.md": "SECRET", "other/SKILL.md": skill("other", "", "OTHER-INDEX\n") }, flows: one },
    model: { a: [...reading("SKILL.md", "api.md", "secret.md", "gone.md", "../other/SKILL.md", "/docs/api.md", "..%2fother%2fSKILL.md", "api.md/../secret.md", ".\\secret.md", "", "API.MD").slice(0, 1), { calls: [{ name: "skill_read", args: { skill: "other", file: "SKILL.md" } }, { name: "skill_read", args: { skill: "nobody", file: "SKILL.md" } }, { name: "skill_read", args: { skill: "../docs", file: "SKILL.md" } }] }, done()] },
    run: { flow: "f", task: "go" },
    expect({ run, requests, of }) {
      assert.equal(run.status, "succeeded");
      const [index, api, off, gone, ...tricks] = answers(requests[1]);
      assert.match(index, /THE-INDEX/, "SKILL.md is always readable");
      assert.equal(api, "API");
      assert.match(off, /api\.md/, "the list");
      assert.match(gone, /gone\.md/);
      for (const t of [off, gone, ...tricks]) assert.doesNotMatch(t, /SECRET|OTHER-INDEX|^API$/);
      for (const t of answers(requests[2]).slice(-3)) assert.doesNotMatch(t, /THE-INDEX|OTHER-INDEX/);
      assert.equal(of("run.ended").length, 1);
    },
  },
  {
    rule: "F61", name: "outside a run skill_read returns text, and errors as text too",
    catalog: { agents: {}, skills: { "docs/SKILL.md": skill("docs", "files: [api.md]\n"), "docs/api.md": "API-TEXT", "docs/secret.md": "SECRET" } },
    async expect({ api }) {
      const read = async (skillName, file) => (await api.post("/v1/tools/skill_read", { skill: skillName, file })).content.map((p) => p.text).join("");
      assert.equal(await read("docs", "api.md"), "API-TEXT");
      assert.match(await read("docs", "secret.md"), /api\.md/);
      assert.doesNotMatch(await read("docs", "secret.md"), /SECRET/);
      assert.match(await read("dosc", "api.md"), /dosc/);
    },
  },
  {
    rule: "F62", name: "an agent that declares a nonexistent skill is an error, not silence",
    catalog: { agents: {}, skills: { "docs/SKILL.md": skill("docs") } },
    async expect({ api }) {
      const d = (await check(api, agent("x", "skills: dosc\n"), "agent")).must("AV-SKILL", "error");
      assert.equal(d.line, 6);
      assert.match(`${d.message} ${d.suggestion}`, /docs/);
      await refused(putText(api, "/v1/agents/x", agent("x", "skills: dosc\n")), 422, /AV-SKILL/);
      assert.equal((await putText(api, "/v1/agents/x", agent("x", "skills: docs\n"))).status, 200);
    },
  },
];
