// Defines the style of the reference page: one sheet without fonts or images, light or dark like the reader's system.

export const STYLE = `
:root{color-scheme:light dark;--ink:#1c1e21;--soft:#60666e;--line:#e3e5e8;--page:#fff;--box:#f6f7f8;--link:#0b62c4;--get:#0a7a4b;--post:#0b62c4;--put:#9a5b00;--delete:#b42318}
@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--soft:#9aa2ab;--line:#2c3036;--page:#131517;--box:#1b1e22;--link:#6cb0ff;--get:#4cc38a;--post:#6cb0ff;--put:#e0a44b;--delete:#ff8177}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
body{margin:0;font:15px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif;color:var(--ink);background:var(--page);display:grid;grid-template-columns:19rem minmax(0,1fr)}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
code,pre,.path,.type{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem 1rem 3rem 1.5rem;border-right:1px solid var(--line);font-size:13.5px}
nav b{display:block;margin:1.2rem 0 .3rem;font-size:11.5px;letter-spacing:.06em;text-transform:uppercase;color:var(--soft)}
nav a{display:block;padding:.12rem 0;color:var(--ink);white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
nav .brand{font-size:18px;font-weight:650;margin-bottom:.4rem}
main{padding:2.5rem 3rem 6rem;max-width:64rem}
h1{font-size:30px;line-height:1.2;margin:0 0 .3rem}h2{font-size:22px;margin:3.5rem 0 .2rem;padding-top:1.2rem;border-top:1px solid var(--line)}
h3{font-size:17px;margin:0}
h4{font-size:12px;letter-spacing:.05em;text-transform:uppercase;color:var(--soft);margin:1.1rem 0 .35rem}
p{margin:.4rem 0}.soft{color:var(--soft)}
section{margin:2.2rem 0;scroll-margin-top:1rem}
.line{display:flex;gap:.6rem;align-items:baseline;flex-wrap:wrap;margin:.35rem 0 .5rem}
.verb{font:600 12px/1 ui-monospace,Menlo,Consolas,monospace;min-width:3.6rem}
nav .verb{font-size:10px;min-width:2.9rem;display:inline-block}
.GET{color:var(--get)}.POST{color:var(--post)}.PUT{color:var(--put)}.DELETE{color:var(--delete)}
.path{font-size:14px;overflow-wrap:anywhere}
.scope{font-size:12px;border:1px solid var(--line);border-radius:1rem;padding:.05rem .6rem;color:var(--soft)}
table{border-collapse:collapse;width:100%;font-size:14px}td{padding:.32rem .8rem .32rem 0;border-top:1px solid var(--line);vertical-align:top}
td:first-child{white-space:nowrap}tr:first-child td{border-top:0}
pre{background:var(--box);border:1px solid var(--line);border-radius:6px;padding:.7rem .9rem;overflow:auto;margin:.4rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
details{margin:.5rem 0}summary{cursor:pointer;color:var(--soft);font-size:13.5px}
@media(max-width:60rem){body{display:block}nav{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line)}main{padding:1.5rem}}
`
