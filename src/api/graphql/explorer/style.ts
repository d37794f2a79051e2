/** The styles of the explorer, with a light and a dark theme. */
export const style = `
:root { color-scheme: light dark; --bg: #f7f7f5; --panel: #fff; --line: #e2e1dc; --text: #1f2023; --dim: #6d6f76; --accent: #3b5bdb; --key: #7a3e9d; --string: #2b7a3f; --number: #b4540a; --bad: #c92a2a; }
@media (prefers-color-scheme: dark) { :root { --bg: #16171a; --panel: #1e2024; --line: #31343a; --text: #e6e6e3; --dim: #9a9ca4; --accent: #8da2fb; --key: #c79bea; --string: #8fd19e; --number: #f0a868; --bad: #ff8787; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; background: var(--bg); color: var(--text); font: 14px/1.5 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; padding: .6rem 1rem; background: var(--panel); border-bottom: 1px solid var(--line); }
h1 { margin: 0 auto 0 0; font-size: 1rem; letter-spacing: .01em; }
h1 span { color: var(--dim); font-weight: 400; }
form { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; margin: 0; }
input, button, textarea { font: inherit; color: inherit; background: var(--bg); border: 1px solid var(--line); border-radius: 6px; }
input { padding: .3rem .55rem; width: 15rem; }
button { padding: .3rem .8rem; cursor: pointer; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--panel); font-weight: 600; }
button:disabled { opacity: .5; cursor: default; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
main { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(0, 1.1fr) minmax(0, 1.2fr) minmax(0, .9fr); gap: 1px; background: var(--line); }
section { display: flex; flex-direction: column; min-height: 0; min-width: 0; background: var(--panel); }
h2 { display: flex; align-items: center; gap: .6rem; margin: 0; padding: .5rem 1rem; font-size: .75rem; font-weight: 600; text-transform: uppercase; letter-spacing: .06em; color: var(--dim); }
h2 .grow { flex: 1; text-transform: none; letter-spacing: 0; font-weight: 400; text-align: right; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
textarea, pre { margin: 0; padding: .4rem 1rem 1rem; border: 0; border-radius: 0; background: transparent; font: 13px/1.55 ui-monospace, 'SF Mono', Menlo, Consolas, monospace; tab-size: 2; }
textarea { resize: none; flex: 3; min-height: 4rem; }
textarea#variables { flex: 1; border-top: 1px solid var(--line); padding-top: .6rem; }
pre { flex: 1; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
pre .key { color: var(--key); } pre .string { color: var(--string); } pre .number { color: var(--number); } pre .bad { color: var(--bad); }
#schema { flex: 1; overflow: auto; padding: 0 1rem 1rem; }
#schema h3 { margin: .9rem 0 .3rem; font-size: .95rem; }
#schema p { margin: .1rem 0 .5rem; color: var(--dim); }
#schema .field { padding: .35rem 0; border-top: 1px solid var(--line); font: 12.5px/1.5 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
#schema .field small { display: block; color: var(--dim); font: 12.5px/1.45 system-ui, sans-serif; }
#schema button.link { padding: 0; border: 0; background: none; color: var(--accent); font: inherit; }
#schema button.use { float: right; padding: 0 .5rem; font: 11.5px/1.6 system-ui, sans-serif; }
.crumbs { display: flex; flex-wrap: wrap; gap: .3rem; }
.bad { color: var(--bad); }
@media (max-width: 900px) { main { grid-template-columns: minmax(0, 1fr); grid-auto-rows: minmax(20rem, auto); overflow: auto; } }
`;
