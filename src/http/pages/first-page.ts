// Serves GET / [H11]: an introduction with links, as a page for browsers and as JSON for programs. Needs no key and is the same for
// everyone: it has no data of any tenant.
//
// The page's links are relative, so they also lead somewhere behind a dispatcher, below /t/NAME/. The paths in the JSON
// begin with that prefix too.

import { ADDRESS_HEADER } from "../../core/instance-name.ts"
import { addressAt, pathAt } from "../middleware/address.ts"
import type { Call } from "../middleware/call.ts"
import { policyFor } from "../middleware/page-policy.ts"

const SUMMARY = "Runs flows of agents over HTTPS. Every run is a journal that survives crashes and can be watched, answered and resumed."

const LINKS = { docs: "/docs", openapi: "/openapi.json", health: "/healthz", ready: "/readyz", mcp: "/mcp" } as const

const linksOf = (c: Call): Record<string, string> =>
  Object.fromEntries(Object.entries(LINKS).map(([name, path]) => [name, pathAt(c, path)]))

export async function firstPage(c: Call): Promise<Response> {
  const { version } = c.get("services")
  const headers = { "cache-control": "public, max-age=60", vary: `Accept, ${ADDRESS_HEADER}` }
  if (!(c.req.header("accept") ?? "").includes("text/html"))
    return c.json({ name: "Sluice", version, summary: SUMMARY, links: linksOf(c) }, 200, headers)
  return c.body(pageOf(version, serverOf(c)), 200, {
    ...headers,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": await policyFor(STYLE),
  })
}

/** For the line that a reader copies into a shell, so nothing but the letters of an address: a host may hold a `;` or a `$`. */
function serverOf(c: Call): string {
  const address = addressAt(c, "")
  return /^https?:\/\/[\w.:[\]/-]+$/.test(address) ? address : "https://YOUR-SERVER"
}

const pageOf = (version: string, server: string): string => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>Sluice</title><style>${STYLE}</style></head>
<body><main><h1>Sluice <small>${version}</small></h1>
<p class="lead">${SUMMARY}</p>
<ul>
<li><a href="console/">Console</a><span>Runs, what they ask, conversations, and what you connect, in the browser.</span></li>
<li><a href="docs">API reference</a><span>Every route, with its parameters, answers and refusals.</span></li>
<li><a href="openapi.json">openapi.json</a><span>The same as an OpenAPI 3.1 document, for tools.</span></li>
<li><a href="healthz">Health</a><span>Whether this server answers; <a href="readyz">readiness</a> also asks its stores.</span></li>
</ul>
<h2>Run a flow</h2>
<p>Everything under <code>/v1</code> needs a key. On a local server (<code>npm start</code>) the key is <code>sl_local_dev</code>;
elsewhere, ask the person who runs the server.</p>
<pre tabindex="0">URL=${server}
KEY=sl_local_dev
curl "$URL/v1/flows/triage/runs" \\
  -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" \\
  -H "Prefer: wait=30" \\
  -d '{"task": "Search forgets my query.", "rehearse": true}'</pre>
<p>This plays a built-in flow with scripted model replies, so it needs no model and costs nothing.</p>
<h2>Learn more</h2>
<p>The guide is in <code>docs/guide</code> of the repository. It starts with this flow and ends with a deployed server.
MCP clients connect to <code>/mcp</code> with the same key.</p>
</main></body></html>`

/** Light or dark like the reader's system; loads no font or image. */
const STYLE = `
:root{color-scheme:light dark;--ink:#1c1e21;--soft:#60666e;--line:#e3e5e8;--page:#fff;--box:#f6f7f8;--link:#0b62c4}
@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--soft:#9aa2ab;--line:#2c3036;--page:#131517;--box:#1b1e22;--link:#6cb0ff}}
*{box-sizing:border-box}
body{margin:0;font:16px/1.6 system-ui,-apple-system,"Segoe UI",sans-serif;color:var(--ink);background:var(--page)}
main{max-width:44rem;margin:0 auto;padding:clamp(1.5rem,6vw,4rem) 1.25rem 4rem}
h1{font-size:2rem;line-height:1.2;margin:0}h1 small{font-size:.875rem;font-weight:400;color:var(--soft)}
h2{font-size:1.15rem;margin:2.2rem 0 .3rem}
p{margin:.5rem 0}.lead{font-size:1.1rem;color:var(--soft)}
ul{list-style:none;margin:1.6rem 0 0;padding:0;border-top:1px solid var(--line)}
li{display:grid;grid-template-columns:9rem 1fr;gap:0 1rem;padding:.7rem 0;border-bottom:1px solid var(--line)}
li span{color:var(--soft)}
a{color:var(--link)}
code,pre{font:.875rem/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
pre{background:var(--box);border:1px solid var(--line);border-radius:8px;padding:.9rem 1rem;overflow-x:auto;overflow-wrap:normal}
@media(max-width:30rem){li{grid-template-columns:1fr}}
`
